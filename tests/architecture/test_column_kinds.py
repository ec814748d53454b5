"""Places that know a column type by its name. A new type must need no change outside of its own modules."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tables.column_types import COLUMN_TYPES
from tests.architecture.tree import module_of, own_files, text_of

# Fields such as `created_at` of other objects cannot be distinguished from the types that show those of rows.
TYPES = {name for name, column_type in COLUMN_TYPES.items() if name != column_type.row_field}
NAMES = "|".join(sorted(TYPES))
MODULES = (*COLUMN_TYPES, "__init__", "computed")
DECLARATIONS = {*(f"tables/column_types/{name}.py" for name in MODULES), "static/tables/column_types"}
# Other packages do not import tables.
PYTHON_FILES = re.compile(r"(?:tables|accounts|chatproject|chat/(?:pages|payloads|tools|demo_model))/")
SCRIPT_FILES = re.compile(r"static/(?:tables|chat/(?:pages|payloads|tools))/")
TEMPLATE_FILES = re.compile(r"templates/(?!admin/)")
MENTION = re.compile(rf'"(?:{NAMES})"|\bcolumn_types\.(?:{NAMES})\b')
LOOKUPS = {"get_column_type", "of_type"}
TYPE_ARGUMENTS = {"type_name", "kind"}
# Operands with some of the same names that are no types: how databases compare, how a cell is drawn, JSON Schema.
OTHER_OPERANDS = re.compile(r"\b(?:comparison|drawn|schema)\b")
# Elements of lists of JSON types and of comparisons, which have some of the same names.
OTHER_LISTS = {"null", "folded"}
# Names that no other lists have.
UNMISTAKABLE = TYPES - {"text", "number", "person"}
SCRIPT_PLACE = re.compile(
    rf'(?:\btype|(?<!field)Type|kind)\b\)? [!=]== "(?:{NAMES})"|[cC]olumnType\("(?:{NAMES})"\)'
    rf'|(?<![\w.])(?:boolean|date|select): |\bname\b[^{{}}\n]*\btype: "(?:{NAMES})"|\{{ type: "(?:{NAMES})", \.\.\.'
)
TEMPLATE_PLACE = re.compile(rf'\{{%[^%]*[=!]= ?["\'](?:{NAMES})["\'][^%]*%\}}')

# The number of places by module, which only gets smaller, with the reason why the declarations do not suffice yet.
REMAINING: dict[str, dict[str, int]] = {
    "The demo model reads the names of types as words of English requests.": {
        "chat/demo_model/answering.py": 3,
        "chat/demo_model/column_guesses.py": 8,
        "chat/demo_model/columns.py": 1,
        "chat/demo_model/creation.py": 8,
        "chat/demo_model/lexer.py": 4,
        "chat/demo_model/parser.py": 11,
        "chat/demo_model/questions.py": 5,
        "chat/demo_model/revising.py": 1,
        "chat/demo_model/row_changes.py": 1,
    },
}


def test_only_declarations_know_column_types_by_name() -> None:
    known = {module: count for modules in REMAINING.values() for module, count in modules.items()}
    assert dict(places()) == known


def places() -> Iterator[tuple[str, int]]:
    """Yield the modules, scripts and templates that know types by name, and the number of places in each."""
    for path in own_files(".py", ".js", ".html"):
        name, text = str(path), text_of(path)
        if name in DECLARATIONS or str(path.parent) in DECLARATIONS:
            continue
        count = 0
        if PYTHON_FILES.match(name) and path.suffix == ".py":
            lines = {number for number, line in enumerate(text.splitlines(), start=1) if MENTION.search(line)}
            count = count_places(module_of(path), lines=lines) if lines else 0
        elif SCRIPT_FILES.match(name):
            count = len(SCRIPT_PLACE.findall(text))
        elif TEMPLATE_FILES.match(name):
            count = len(TEMPLATE_PLACE.findall(text))
        if count:
            yield name, count


def count_places(node: ast.AST, *, lines: set[int]) -> int:
    """Return the number of outermost nodes that know a type; `lines` are those with a name of one."""
    if isinstance(node, ast.stmt) and lines.isdisjoint(range(node.lineno, (node.end_lineno or node.lineno) + 1)):
        return 0
    if not knows_type(node):
        return sum(count_places(child, lines=lines) for child in ast.iter_child_nodes(node))
    return 0 if isinstance(node, ast.Compare) and OTHER_OPERANDS.search(ast.unparse(node)) else 1


def knows_type(node: ast.AST) -> bool:
    """Return whether the node compares, looks up or maps the name of a type, or imports the module of one."""
    match node:
        case ast.ImportFrom(module=str(module)):
            package, _, last = module.rpartition(".")
            imported = {alias.name for alias in node.names} if module == "tables.column_types" else set()
            return (package == "tables.column_types" and last in TYPES) or not TYPES.isdisjoint(imported)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            operands = [right] if isinstance(op, ast.In | ast.NotIn) else [left, right]
            return any(map(names_type, operands))
        case ast.Dict():
            return maps_types(node) or defines_column(node)
        case ast.Tuple() | ast.List() | ast.Set():
            texts = {each.value for each in node.elts if isinstance(each, ast.Constant) and isinstance(each.value, str)}
            return not UNMISTAKABLE.isdisjoint(texts) and OTHER_LISTS.isdisjoint(texts)
        case ast.IfExp(body=body, orelse=orelse):
            return (names_type(body) or names_type(orelse)) and "type" in ast.unparse(node)
        case ast.MatchValue(value=value):
            return names_type(value)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            by_keyword = any(each.arg in TYPE_ARGUMENTS and names_type(each.value) for each in node.keywords)
            return by_keyword or (name in LOOKUPS and any(map(names_type, node.args)))
    return False


def names_type(node: ast.AST) -> bool:
    if isinstance(node, ast.Tuple | ast.Set | ast.List):
        return any(map(names_type, node.elts))
    return isinstance(node, ast.Constant) and node.value in TYPES


def maps_types(node: ast.Dict) -> bool:
    """Return whether the keys are names of types, or tuples with one. A single name may be a field."""
    keys = [key for key in node.keys if key is not None]
    named = [key for key in keys if names_type(key)]
    return len(keys) == len(named) > 1 or any(isinstance(key, ast.Tuple) for key in named)


def defines_column(node: ast.Dict) -> bool:
    """Return whether the node is a column with a fixed type and any name, unlike the columns of examples."""
    pairs = zip(node.keys, node.values, strict=True)
    parts = {key.value: value for key, value in pairs if isinstance(key, ast.Constant)}
    if "name" not in parts or "type" not in parts or not names_type(parts["type"]):
        return False
    return not isinstance(parts["name"], ast.Constant) or not parts["name"].value

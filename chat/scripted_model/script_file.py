"""Reading a script file, YAML or JSON, into plain data with the line of each value."""
from __future__ import annotations

import re
from pathlib import Path as File
from typing import Any

import yaml

from chat.scripted_model.faults import Path, ScriptError
from shared import strictjson

Lines = dict[Path, int]

QUOTING_HINT = "Put texts with braces, brackets, colons or question marks into quotation marks."


class _JsonTypes(yaml.SafeLoader):
    """YAML whose scalars are those of JSON: `yes` and `2026-06-01` are texts."""

    yaml_implicit_resolvers: dict[str, Any] = {}


for _tag, _pattern, _first in (
    ("null", r"null|~|", ["n", "~", ""]),
    ("bool", r"true|false", "tf"),
    ("int", r"-?(0|[1-9][0-9]*)", "-0123456789"),
    ("float", r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?", "-0123456789"),
):
    _JsonTypes.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), [*_first])


def read_file(file: File) -> tuple[Any, Lines]:
    """Return the data of a file and the lines of its values by path. Raises ScriptError if it cannot be read."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "it is not UTF-8"
        raise ScriptError(f"{file}: cannot be read: {reason}") from None
    if file.suffix == ".json":
        try:
            return strictjson.loads(text), {}
        except strictjson.StrictJsonError as problem:
            raise ScriptError(f"{file}: not valid JSON: {problem.detail}") from None
    try:
        node = yaml.compose(text, Loader=_JsonTypes)
    except yaml.MarkedYAMLError as problem:
        line = f", line {problem.problem_mark.line + 1}" if problem.problem_mark else ""
        raise ScriptError(f"{file}{line}: not valid YAML: {problem.problem}. {QUOTING_HINT}") from None
    except yaml.YAMLError as problem:
        raise ScriptError(f"{file}: not valid YAML: {problem}") from None
    reader = _NodeReader(file)
    return reader.value(node, path=(), parents=()), reader.lines


class _NodeReader:
    def __init__(self, file: File) -> None:
        self.lines: Lines = {}
        self._file = file

    def value(self, node: yaml.Node | None, *, path: Path, parents: tuple[yaml.Node, ...]) -> Any:
        if node is None:
            return None
        self.lines.setdefault(path, node.start_mark.line + 1)
        if any(node is parent for parent in parents):
            raise self._error(node, "an alias cannot contain itself")
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path=path, parents=(*parents, node))
        if isinstance(node, yaml.SequenceNode):
            entries = enumerate(node.value)
            return [self.value(item, path=(*path, at), parents=(*parents, node)) for at, item in entries]
        return self._scalar(node)

    def _mapping(self, node: yaml.MappingNode, *, path: Path, parents: tuple[yaml.Node, ...]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else ""
            if not key:
                raise self._error(key_node, "a key must be text")
            if key in found:
                raise self._error(key_node, f"the key {key!r} occurs twice")
            self.lines[(*path, key)] = key_node.start_mark.line + 1
            found[key] = self.value(value_node, path=(*path, key), parents=parents)
        return found

    def _scalar(self, node: yaml.Node) -> Any:
        kind = node.tag.removeprefix("tag:yaml.org,2002:")
        if kind == "str":
            return node.value
        if kind == "null":
            return None
        if kind == "bool":
            return node.value == "true"
        if kind not in {"int", "float"}:
            raise self._error(node, f"the tag {node.tag!r} is not supported")
        return int(node.value) if kind == "int" else float(node.value)

    def _error(self, node: yaml.Node, message: str) -> ScriptError:
        return ScriptError(f"{self._file}, line {node.start_mark.line + 1}: {message}")

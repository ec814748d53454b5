"""The page docs/api_reference.md: endpoints, parameters and fields as Markdown tables, from the OpenAPI document."""
from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from shared.rest.openapi import Json

INTRODUCTION = """# API reference

The endpoints, parameters and fields of the API. [The guide](api.md) explains how to use them. This page is generated
from the OpenAPI document. Update it with `python3 manage.py api_reference` after a change of the API.

- `?` after a name: the field or parameter can be absent.
- `rows[].id` is the field `id` of each item of the list `rows`. `columns.*.min` is the field `min` of each value of the
  object `columns`.
- Every request with `POST`, `PUT`, `PATCH` or `DELETE` accepts the header `Idempotency-Key`.
- Answers can have further fields in future. Every error has the fields of [Error](#error).
"""
METHODS = ("get", "post", "put", "patch", "delete")
UNIONS = ("anyOf", "oneOf")
FORMATS = {"uuid": "UUID", "date-time": "time", "binary": "file", "uri-reference": "path", "email": "e-mail address"}
LIMITS = {
    "integer": ("minimum", "maximum", ""), "string": ("minLength", "maxLength", " characters"),
    "array": ("minItems", "maxItems", " items"),
}  # fmt: skip
# Larger limits are those of the database.
MAX_LIMIT = 10**12
NULL: Json = {"type": "null"}


def reference_page(openapi: Json) -> str:
    """Return the content of the page."""
    return "\n".join(_Page(openapi).lines()).rstrip() + "\n"


class _Page:
    """The page, with the components in the order in which operations refer to them.

    An object that a single field refers to has no table of its own: its fields follow that field. The variants of a
    request body have a table in common.
    """

    def __init__(self, openapi: Json) -> None:
        self.schemas: dict[str, Json] = openapi["components"]["schemas"]
        self.tags = openapi["tags"]
        self.operations = [
            (f"`{method.upper()} {path}`", methods[method])
            for path, methods in openapi["paths"].items()
            for method in METHODS
            if method in methods
        ]
        # The places of the references to each component: in an operation, a union or a field.
        self.places: dict[str, list[str]] = {}
        for _, operation in self.operations:
            for answer in _answers(operation).values():
                self._collect(_contents(answer), place="operation")
        self._collect({"$ref": "#/components/schemas/Error"}, place="operation")
        self.answered = [*self.places]
        for _, operation in self.operations:
            self._collect(_contents(operation.get("requestBody", {})), place="operation")
        self.requested = [name for name in self.places if name not in self.answered]

    def lines(self) -> Iterator[str]:
        yield INTRODUCTION
        yield "## Endpoints\n"
        for tag in self.tags:
            yield f"### {tag['description'].rstrip('.')}\n"
            rows = [self._endpoint(*each) for each in self.operations if tag["name"] in each[1]["tags"]]
            yield from _table(("request", "meaning", "scope", "parameters", "body", "answer"), rows)
        yield "## Parameters\n"
        yield from _table(("parameter", "value", "requests", "meaning"), self._parameters())
        yield "## Answers\n"
        yield from self._resources(self.answered, limits=False)
        yield "## Request bodies\n"
        yield from self._resources(self.requested, limits=True)

    def _endpoint(self, request: str, operation: Json) -> Sequence[str]:
        body = " or ".join(self._type(each, limits=True) for each in _contents(operation.get("requestBody", {})))
        answers = (
            f"{status} {', '.join(dict.fromkeys(self._type(each) for each in _contents(answer)))}".strip()
            for status, answer in _answers(operation).items()
        )
        credentials = {name for each in operation["security"] for name in each}
        scope = "read" if request.startswith("`GET") else "write"
        if "token" not in credentials:
            scope = "tokens are refused" if credentials else "no token needed"
        names = ", ".join(map(_parameter_name, _parameters(operation)))
        return request, operation["summary"], scope, names, body, "; ".join(answers)

    def _parameters(self) -> Iterator[Sequence[str]]:
        """Yield a row for each parameter, with its requests if the name has another meaning in others."""
        found: dict[str, dict[tuple[str, str], list[str]]] = {}
        for request, operation in self.operations:
            for each in _parameters(operation):
                value = self._type(each["schema"], limits=True)
                if "default" in each["schema"]:
                    value += f"; {_word(each['schema']['default'])} by default"
                found.setdefault(_parameter_name(each), {}).setdefault((value, _text(each)), []).append(request)
        for name in sorted(found):
            for (value, meaning), requests in found[name].items():
                yield name, value, "<br>".join(requests) if len(found[name]) > 1 else "all", meaning

    def _resources(self, names: Iterable[str], *, limits: bool) -> Iterator[str]:
        for name in filter(self._has_table, names):
            yield f"### {name}\n"
            schema = self.schemas[name]
            if text := _text(schema):
                yield f"{text}\n"
            variants = [] if "properties" in schema else _options(schema)
            if variants:
                yield f"One of: {'; '.join(map(self._form, variants))}.\n"
            shapes = [schema, *(self.schemas[_name(each)] for each in variants if self._is_merged(_name(each)))]
            if shapes := [each for each in shapes if "properties" in each]:
                yield from _table(("field", "value", "meaning"), self._fields(shapes, limits=limits))

    def _fields(self, shapes: Sequence[Json], *, limits: bool, path: str = "") -> Iterator[Sequence[str]]:
        """Yield the rows of the fields of these objects, which are variants of the same object."""
        found: dict[str, list[Json]] = {}
        for shape in shapes:
            for field, schema in shape["properties"].items():
                if schema not in found.setdefault(field, []):
                    found[field].append(schema)
        needed = [field for field in found if all(field in shape.get("required", ()) for shape in shapes)]
        for field in dict.fromkeys([*needed, *found]):
            schema = found[field][0] if len(found[field]) == 1 else {"anyOf": found[field]}
            name = f"`{path}{field}`{'' if field in needed else '?'}"
            yield name, self._type(schema, limits=limits), self._meaning(schema)
            inner, suffix = self._inner(schema)
            if inner:
                yield from self._fields([self.schemas[inner]], limits=limits, path=f"{path}{field}{suffix}.")

    def _inner(self, schema: Json) -> tuple[str, str]:
        """Return the name of the object in a field that has no table of its own, and its suffix for paths."""
        options = [each for each in _options(schema) if each != NULL]
        for key, suffix in (("items", "[]"), ("additionalProperties", ".*")):
            if len(options) == 1 and isinstance(options[0].get(key), dict):
                inner, further = self._inner(options[0][key])
                return inner, suffix + further
        name = _name(options[0]) if len(options) == 1 else ""
        return (name, "") if "properties" in self.schemas.get(name, {}) and not self._has_table(name) else ("", "")

    def _meaning(self, schema: Json) -> str:
        """Return the description of a field, else that of the values in it."""
        if "description" in schema:
            return _text(schema)
        parts = [schema[key] for key in ("items", "additionalProperties") if isinstance(schema.get(key), dict)]
        parts += [self.schemas[_name(schema)]] if "$ref" in schema else []
        parts += [each for key in UNIONS for each in schema.get(key, ())]
        return " ".join(dict.fromkeys(filter(None, map(self._meaning, parts))))

    def _type(self, schema: Json, *, limits: bool = False) -> str:
        """Return the type of a value in words, with the limits of its size if they are requested."""
        found = list(dict.fromkeys(self._types(schema, limits=limits)))
        found.sort(key="null".__eq__)
        return " or ".join([", ".join(found[:-1]), found[-1]]) if len(found) > 1 else found[0]

    def _types(self, schema: Json, *, limits: bool) -> Iterator[str]:
        """Yield the types that a value can have."""
        options = _options(schema)
        name, kind = _name(schema), schema.get("type", "any value")
        if name and self._has_table(name):
            yield f"[{name}](#{name.lower()})"
        elif name:
            shape = self.schemas[name]
            yield from ["object"] if "properties" in shape else self._types(shape, limits=limits)
        elif options != [schema]:
            yield from (word for each in options for word in self._types(each, limits=limits))
        elif "enum" in schema or "const" in schema:
            yield from map(_word, schema.get("enum") or [schema["const"]])
        elif isinstance(kind, list):
            yield from (word for each in kind for word in self._types({**schema, "type": each}, limits=limits))
        elif kind == "array":
            yield f"list of {self._type(schema['items'], limits=limits)}{_size(schema) if limits else ''}"
        elif kind == "object":
            values = [*schema.get("patternProperties", {}).values(), schema.get("additionalProperties")]
            typed = next((each for each in values if isinstance(each, dict)), None)
            empty = "empty object" if values == [False] else "object"
            yield f"object of {self._type(typed, limits=limits)}" if typed else empty
        else:
            text = "null" if kind == "null" else str(FORMATS.get(schema.get("format", ""), kind))
            yield text + (_size(schema) if limits else "")

    def _form(self, schema: Json) -> str:
        """Return a variant of a body: the names of its fields, else its type."""
        if not self._is_merged(_name(schema)):
            return self._type(schema)
        shape = self.schemas[_name(schema)]
        names = [*shape["required"], *(each for each in shape["properties"] if each not in shape["required"])]
        return ", ".join(
            f"`{each}`"
            + ("" if each in shape["required"] else "?")
            + (f" {_word(shape['properties'][each]['const'])}" if "const" in shape["properties"][each] else "")
            for each in names
        )

    def _has_table(self, name: str) -> bool:
        """Return whether a component has a table of its own: an object with fields, or a union with one."""
        schema, places = self.schemas[name], self.places[name]
        if "properties" in schema:
            return places != ["field"] and not self._is_merged(name)
        return any("properties" in self.schemas.get(_name(each), {}) for each in _options(schema) if "$ref" in each)

    def _is_merged(self, name: str) -> bool:
        """Return whether a component is described with the other variants of a request body."""
        return name not in self.answered and self.places.get(name) == ["union"] and "properties" in self.schemas[name]

    def _collect(self, part: Any, *, place: str) -> None:
        """Add the places of the references in a schema, or in a list of schemas, and in the components it refers to."""
        if isinstance(part, list):
            for each in part:
                self._collect(each, place=place)
            return
        if "$ref" in part:
            is_new = _name(part) not in self.places
            self.places.setdefault(_name(part), []).append(place)
            if is_new:
                self._collect(self.schemas[_name(part)], place="field")
            return
        options = [each for each in _options(part) if each != NULL]
        if any(key in part for key in UNIONS):
            self._collect(options, place="union" if len(options) > 1 else place)
        fields = {**part.get("properties", {}), **part.get("patternProperties", {})}
        others = [part[key] for key in ("items", "additionalProperties") if isinstance(part.get(key), dict)]
        self._collect([*fields.values(), *others], place="field")


def _answers(operation: Json) -> dict[str, Json]:
    """Return the successful answers by status."""
    return {status: answer for status, answer in operation["responses"].items() if status < "300"}


def _contents(body: Json) -> list[Json]:
    """Return the schemas of a body, one for each media type."""
    return [content["schema"] for content in body.get("content", {}).values()]


def _options(schema: Json) -> list[Json]:
    """Return the schemas of which a value has one."""
    options: list[Json] = next((schema[key] for key in UNIONS if key in schema), [schema])
    return options


def _name(schema: Json) -> str:
    """Return the name of the component that a schema refers to, "" for none."""
    return str(schema.get("$ref", "")).rpartition("/")[2]


def _parameters(operation: Json) -> list[Json]:
    """Return the parameters in the query and the headers, except for that of all writes."""
    found = operation.get("parameters", ())
    return [each for each in found if each["in"] != "path" and each["name"] != "Idempotency-Key"]


def _parameter_name(parameter: Json) -> str:
    name = f"`{parameter['name']}`{'' if parameter.get('required') else '?'}"
    return f"header {name}" if parameter["in"] == "header" else name


def _text(described: Json) -> str:
    """Return the first paragraph of a description as one line."""
    return " ".join(str(described.get("description", "")).partition("\n\n")[0].split())


def _word(value: Any) -> str:
    return f"`{value}`" if isinstance(value, str) and value.strip() else f"`{json.dumps(value)}`"


def _size(schema: Json) -> str:
    """Return the limits of a value in words, "" without any."""
    lowest, highest, unit = LIMITS.get(schema.get("type", ""), ("", "", ""))
    low, high = schema.get(lowest), schema.get(highest, MAX_LIMIT)
    if high >= MAX_LIMIT:
        return f" (at least {low:,}{unit})" if low else ""
    return f" (at most {high:,}{unit})" if low is None else f" ({low:,} to {high:,}{unit})"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    yield from (f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows)
    yield ""

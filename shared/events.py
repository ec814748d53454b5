"""Base classes of the JSON objects that streams and sockets send; the same declaration builds and describes them."""
from __future__ import annotations

import types
from dataclasses import MISSING, Field, dataclass, fields
from inspect import cleandoc
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

Json = dict[str, Any]
NULL: Json = {"type": "null"}
PRIMITIVES: dict[Any, Json] = {
    str: {"type": "string"}, int: {"type": "integer"}, float: {"type": "number"}, bool: {"type": "boolean"},
    dict: {"type": "object"}, list: {"type": "array"}, type(None): NULL, Any: {},
}  # fmt: skip


def doc(description: str, **keywords: Any) -> Json:
    """Return the description of a field for `Annotated`; `keywords` are further keywords of its JSON schema."""
    return {**keywords, "description": description}


@dataclass(frozen=True, kw_only=True)
class JsonObject:
    """An object on the wire. Fields with a default are optional: they are left out while they have it."""

    def as_json(self) -> Json:
        """Return the object as JSON."""
        found: Json = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if not _is_optional(each) or value != _default(each):
                found[each.name] = value.as_json() if isinstance(value, JsonObject) else value
        return found

    @classmethod
    def json_schema(cls) -> Json:
        """Return the JSON schema; clients must expect other fields in future."""
        hints = get_type_hints(cls, include_extras=True)
        return {
            "type": "object",
            "description": " ".join(cleandoc(cls.__doc__ or "").split()),
            "properties": {each.name: _schema(hints[each.name], absent=each.default) for each in fields(cls)},
            "required": [each.name for each in fields(cls) if not _is_optional(each)],
        }


@dataclass(frozen=True, kw_only=True)
class Event(JsonObject):
    """An event of a stream or message of a socket, which clients distinguish by its `type`."""

    type: ClassVar[str]

    def as_json(self) -> Json:
        return {"type": self.type, **super().as_json()}

    @classmethod
    def json_schema(cls) -> Json:
        schema = super().json_schema()
        name = {"type": "string", "const": cls.type, "description": "The type of the event or message."}
        properties = {"type": name, **schema["properties"]}
        return {**schema, "properties": properties, "required": ["type", *schema["required"]]}


def event_schemas(name: str, events: tuple[type[Event], ...]) -> dict[str, Json]:
    """Return the component schemas of these events by class name, and their union under `name`."""
    mapping = {event.type: f"#/components/schemas/{event.__name__}" for event in events}
    union = {
        "oneOf": [{"$ref": address} for address in mapping.values()],
        "discriminator": {"propertyName": "type", "mapping": mapping},
    }
    return {name: union, **{event.__name__: event.json_schema() for event in events}}


def _schema(hint: Any, *, absent: Any = MISSING) -> Json:
    """Return the schema of a type. A field that is None while it is absent is never null."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return {**_schema(arguments[0], absent=absent), **arguments[1]}
    if origin in (Union, types.UnionType):
        possible = [_schema(each) for each in arguments if absent is not None or each is not type(None)]
        return possible[0] if len(possible) == 1 else {"anyOf": possible}
    if origin is Literal:
        return {"type": "string", "enum": [*arguments]}
    if origin is dict and arguments[1] is str:
        return {**PRIMITIVES[dict], "additionalProperties": PRIMITIVES[str]}
    if origin is list:
        return {"type": "array", "items": _schema(arguments[0])}
    if isinstance(hint, type) and issubclass(hint, JsonObject):
        return hint.json_schema()
    return dict(PRIMITIVES[origin or hint])


def _is_optional(each: Field[Any]) -> bool:
    return each.default is not MISSING or each.default_factory is not MISSING


def _default(each: Field[Any]) -> Any:
    return each.default_factory() if each.default_factory is not MISSING else each.default

"""Moves schemas within operations and components to components of their own, so that generated clients name them."""
from __future__ import annotations

from shared.rest.openapi import Json, ref

UNIONS = ("anyOf", "oneOf", "allOf")
JSON_TYPE = "application/json"


def with_named_schemas(openapi: Json) -> Json:
    """Move bodies, objects with fields, and enums to components.

    The name of a component is the `title` of the schema, else that of its operation (`RowsPutRequest`) or of its field
    (`TableRole`). Raises ValueError if two different schemas have the same name.
    """
    components = Components()
    for methods in openapi["paths"].values():
        for operation in methods.values():
            _name_bodies(operation, components=components)
    for name, schema in openapi["components"]["schemas"].items():
        components.add(name, schema)
    openapi["components"]["schemas"] = components.schemas
    return openapi


class Components:
    """The schemas by name."""

    def __init__(self) -> None:
        self.schemas: dict[str, Json] = {}

    def add(self, name: str, schema: Json) -> Json:
        """Add a component, and those within it. Return the reference to it."""
        content = self._with_references({key: value for key, value in schema.items() if key != "title"}, owner=name)
        if self.schemas.setdefault(name, content) != content:
            raise ValueError(f"two schemas have the name {name}")
        return ref(name)

    def extract(self, schema: Json, *, name: str) -> Json:
        """Return the schema, or a reference if it is an object with fields, an enum, or has a title of its own."""
        if "title" in schema:
            return self.add(schema["title"], schema)
        if "properties" in schema or len(schema.get("enum", ())) > 1:
            return self.add(name, schema)
        return self._with_references(schema, owner=name)

    def _with_references(self, schema: Json, *, owner: str) -> Json:
        found = dict(schema)
        if len(words := schema.get("enum", ())) == 1:
            found = {key: value for key, value in found.items() if key != "enum"} | {"const": words[0]}
        if found.get("type") == "object" and not found.keys() & {"properties", "additionalProperties"}:
            # The default, but generators of clients take such an object for an empty one.
            found["additionalProperties"] = True
        for key in ("properties", "patternProperties"):
            if key in found:
                found[key] = {name: self.extract(each, name=owner + _pascal(name)) for name, each in found[key].items()}
        for key, suffix in (("items", "Item"), ("additionalProperties", "Value")):
            if isinstance(found.get(key), dict):
                found[key] = self.extract(found[key], name=owner + suffix)
        for key in UNIONS:
            if key in found:
                variants = [each for each in found[key] if each != {"type": "null"}]
                found[key] = [
                    each
                    if each == {"type": "null"}
                    else self.extract(each, name=owner if len(variants) == 1 else f"{owner}Variant{number}")
                    for number, each in enumerate(found[key], 1)
                ]
        return found


def _name_bodies(operation: Json, *, components: Components) -> None:
    name = _pascal(operation["operationId"].removeprefix("api_"))
    bodies = [(operation.get("requestBody", {}), "Request")]
    bodies += [
        (response, "Response" if status < "300" else f"Response{status}")
        for status, response in operation["responses"].items()
    ]
    for body, suffix in bodies:
        for media_type, content in body.get("content", {}).items():
            if media_type == JSON_TYPE or "properties" in content["schema"]:
                content["schema"] = components.extract(content["schema"], name=name + suffix)


def _pascal(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.replace("-", "_").split("_") if part.isalnum())

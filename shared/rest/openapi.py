"""Parts of the OpenAPI document: JSON schemas of bodies and parameters, query parameters, headers and examples."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter

Json = dict[str, Any]

TEXT: Json = {"type": "string"}
NAME: Json = {"type": "string", "minLength": 1, "maxLength": 255}
INTEGER: Json = {"type": "integer"}
ID: Json = {"type": "integer", "minimum": 1, "maximum": 2**63 - 1}
COUNT: Json = {"type": "integer", "minimum": 0, "maximum": 10**18 - 1}
BOOLEAN: Json = {"type": "boolean"}
ANY: Json = {}
OBJECT: Json = {"type": "object"}
# At least one visible character, no control characters.
TITLE: Json = {**NAME, "pattern": r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"}
ZONE: Json = {"type": "string", "format": "time-zone", "description": "An IANA name such as Europe/Paris."}
PAGE: Json = {"type": "string", "format": "page", "description": "A page with the chat."}
UUID: Json = {"type": "string", "format": "uuid"}
TIME: Json = {"type": "string", "format": "date-time"}
# In a list: the path and query of its next page.
PAGE_URL: Json = {"type": "string", "format": "uri-reference", "pattern": "^/"}

NEXT_PAGE: Json = {
    "anyOf": [PAGE_URL, {"type": "null"}], "description": "The path of the next page; null on the last one.",
}  # fmt: skip

OFFSET = OpenApiParameter(
    "offset",
    {"type": "integer", "minimum": 0, "maximum": 1_000_000, "default": 0},
    description="The number of items to skip.",
)

IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
    OpenApiParameter.HEADER,
    description="A request that is repeated with the same key is executed once.",
)
# The credentials of operations that refuse tokens.
ONLY_SESSION: list[Any] = [{"session": []}]
# For requests that are idempotent without a key.
NO_IDEMPOTENCY_KEY = OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER, exclude=True)


def nullable(schema: Json) -> Json:
    """Return the schema of a value or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def described(schema: Json, description: str) -> Json:
    """Return the schema with a description."""
    return {**schema, "description": description}


def enum(*words: str) -> Json:
    """Return the schema of one of these strings."""
    return {"type": "string", "enum": list(words)}


def array(schema: Json, **limits: int) -> Json:
    """Return the schema of a list; `limits` are keywords such as `maxItems`."""
    return {"type": "array", "items": schema, **limits}


def by_index(schema: Json) -> Json:
    """Return the schema of an object whose keys are indexes of operations."""
    return {"type": "object", "patternProperties": {"^[0-9]{1,6}$": schema}, "additionalProperties": False}


def ref(name: str) -> Json:
    """Return a reference to a component schema."""
    return {"$ref": f"#/components/schemas/{name}"}


def named(name: str, schema: Json) -> Json:
    """Return the schema with the name of its component, to which the OpenAPI document moves it."""
    return {"title": name, **schema}


def response(optional: Mapping[str, Json] | None = None, **fields: Json) -> Json:
    """Return the schema of an object in a response, in which clients must expect other fields in future."""
    return {"type": "object", "properties": {**(optional or {}), **fields}, "required": list(fields)}


def body(optional: Mapping[str, Json] | None = None, **fields: Json) -> Json:
    """Return the schema of an object in a request, in which any other field is refused."""
    return {**response(optional, **fields), "additionalProperties": False}


def json_body(schema: Json) -> Json:
    """Return the request body for `extend_schema`."""
    return {"application/json": schema}


def limit(
    maximum: int, *, default: int, description: str = "The maximum number of items."
) -> OpenApiParameter:
    """Return the `limit` parameter of a paginated list."""
    schema = {"type": "integer", "minimum": 1, "maximum": maximum, "default": default}
    return OpenApiParameter("limit", schema, description=description)


def query(name: str, schema: Json, description: str) -> OpenApiParameter:
    """Return a query parameter."""
    return OpenApiParameter(name, schema, description=description)


def header(name: str, schema: Json, description: str) -> OpenApiParameter:
    """Return a request header."""
    return OpenApiParameter(name, schema, OpenApiParameter.HEADER, description=description)


def if_match_header(of: str) -> OpenApiParameter:
    """Return the `If-Match` header with the version of a "row" or "table"."""
    description = f'The version of the {of} in quotes, such as "3": nothing is written if it has changed (412).'
    return header("If-Match", {"type": "string", "format": "quoted-version"}, description)


def example(value: Any, *, name: str = "example") -> OpenApiExample:
    """Return an example of a request body. Several of one operation have different names."""
    return OpenApiExample(name, value, request_only=True)

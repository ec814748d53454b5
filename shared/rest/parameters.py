"""Query parameters, headers and examples for the OpenAPI document."""
from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter

from shared.rest.schemas import Json

IF_MATCH = OpenApiParameter(
    "If-Match",
    {"type": "string", "format": "quoted-version"},
    OpenApiParameter.HEADER,
    description='The version in quotes, such as "3"; 412 if it has changed.',
)
OFFSET = OpenApiParameter(
    "offset", {"type": "integer", "minimum": 0, "maximum": 1_000_000}, description="The number of items to skip."
)

IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
    OpenApiParameter.HEADER,
    description="A request that is repeated with the same key is executed once.",
)
# For requests that are idempotent without a key.
NO_IDEMPOTENCY_KEY = OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER, exclude=True)


def limit(maximum: int) -> OpenApiParameter:
    """Return the `limit` parameter of a paginated list."""
    schema = {"type": "integer", "minimum": 1, "maximum": maximum}
    return OpenApiParameter("limit", schema, description="The maximum number of items.")


def query(name: str, schema: Json, description: str) -> OpenApiParameter:
    """Return a query parameter."""
    return OpenApiParameter(name, schema, description=description)


def header(name: str, schema: Json, description: str) -> OpenApiParameter:
    """Return a request header."""
    return OpenApiParameter(name, schema, OpenApiParameter.HEADER, description=description)


def example(value: Any) -> OpenApiExample:
    """Return an example of a request body."""
    return OpenApiExample("example", value, request_only=True)

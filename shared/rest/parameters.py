"""Query parameters, headers and examples, as OpenAPI describes them."""
from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter

from shared.rest.schemas import Json

IF_MATCH = OpenApiParameter(
    "If-Match",
    {"type": "string", "format": "quoted-version"},
    OpenApiParameter.HEADER,
    description='The version in quotes, like "3"; 412 when it has moved.',
)
OFFSET = OpenApiParameter(
    "offset", {"type": "integer", "minimum": 0, "maximum": 1_000_000}, description="How many to leave out first."
)

IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
    OpenApiParameter.HEADER,
    description="Makes sending this twice do it once.",
)
# For what needs no key: sent twice, it does the same once by itself.
NO_IDEMPOTENCY_KEY = OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER, exclude=True)


def limit(most: int) -> OpenApiParameter:
    """The parameter of a list that shows at most so many at once."""
    schema = {"type": "integer", "minimum": 1, "maximum": most}
    return OpenApiParameter("limit", schema, description="How many to answer at most.")


def query(name: str, schema: Json, description: str) -> OpenApiParameter:
    """A query parameter."""
    return OpenApiParameter(name, schema, description=description)


def header(name: str, schema: Json, description: str) -> OpenApiParameter:
    """A header of a request."""
    return OpenApiParameter(name, schema, OpenApiParameter.HEADER, description=description)


def example(value: Any) -> OpenApiExample:
    """An example of a request body."""
    return OpenApiExample("example", value, request_only=True)

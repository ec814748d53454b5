"""Query parameters and headers that several operations have, as OpenAPI describes them."""
from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter

IF_MATCH = OpenApiParameter(
    "If-Match",
    {"type": "string", "format": "quoted-version"},
    OpenApiParameter.HEADER,
    description='The version in quotes, like "3"; 412 when it has moved.',
)
OFFSET = OpenApiParameter(
    "offset", {"type": "integer", "minimum": 0, "maximum": 1_000_000}, description="How many to leave out first."
)


def limit(most: int) -> OpenApiParameter:
    """The parameter of a list that shows at most so many at once."""
    schema = {"type": "integer", "minimum": 1, "maximum": most}
    return OpenApiParameter("limit", schema, description="How many to answer at most.")

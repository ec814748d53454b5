"""The described URLs, and the AutoSchema of the project: names, tags, headers, errors and security of operations."""
from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from inspect import cleandoc
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver
from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ComponentRegistry, force_instance
from drf_spectacular.utils import PolymorphicProxySerializer

from shared.rest.openapi import COUNT, IDEMPOTENCY_KEY, UUID, Json, if_match_header
from shared.rest.preconditions import if_match_of
from shared.rest.serializers import Body, SchemaField

TAGS = {
    "/api/tables/": "tables", "/api/assigned/": "tables", "/api/imports/": "imports", "/api/chat/": "chat",
    "/api/me/": "accounts", "/api/tokens/": "accounts", "/": "server",
}  # fmt: skip
ERROR: Json = {"$ref": "#/components/responses/Error"}
UUIDS = {"conversation_id", "turn_id", "payload_id", "message_id", "fill_id"}
# A part of a path between two slashes.
SEGMENT: Json = {"type": "string", "pattern": "^[^/]+$"}
PARAMETER = re.compile(r"<(?:\w+:)?(?P<name>\w+)>")
# Described URLs that are not below /api/.
SERVER = ("healthz", "readyz", "metrics")


@lru_cache(maxsize=1)
def names_by_path() -> dict[str, str]:
    """Return the names of the URLs by path, such as `/api/tables/{table_id}/`."""
    return {
        PARAMETER.sub(r"{\g<name>}", route): pattern.name
        for route, pattern in _patterns(get_resolver(), prefix="/")
        if pattern.name and (route.startswith("/api/") or pattern.name in SERVER)
    }


def _patterns(resolver: URLResolver, *, prefix: str) -> Iterator[tuple[str, URLPattern]]:
    for entry in resolver.url_patterns:
        route = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from _patterns(entry, prefix=route)
        else:
            yield route, entry


class SchemaFieldExtension(OpenApiSerializerFieldExtension):
    """Describes a SchemaField by its schema."""

    target_class = SchemaField

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Any) -> Json:
        return dict(self.target.schema)


class ApiSchema(AutoSchema):
    """Names an operation after its URL and adds headers, errors and security.

    The first paragraph of a view's docstring is the summary. The others are the description, which ends with the
    credentials that are needed.
    """

    def get_operation(
        self, path: str, path_regex: str, path_prefix: str, method: str, registry: ComponentRegistry
    ) -> Any:
        self.name = names_by_path()[path]
        operation: Any = super().get_operation(path, path_regex, path_prefix, method, registry)
        # An empty list, which drf-spectacular leaves out, means that no credentials are needed.
        return {**operation, "security": operation.get("security", [])}

    def get_operation_id(self) -> str:
        return f"{self.name}_{self.method.lower()}"

    def get_summary(self) -> str:
        return self._paragraphs()[0]

    def get_description(self) -> str:  # type: ignore[override]  # as drf-spectacular does
        return "\n\n".join([*self._paragraphs()[1:], self._credentials()])

    def get_tags(self) -> list[str]:
        return [next(tag for prefix, tag in TAGS.items() if self.path.startswith(prefix))]

    def get_auth(self) -> list[Json]:
        return [{"token": []}, {"session": []}] if self.view.permission_classes else []

    def get_override_parameters(self) -> list[Any]:
        if self.method == "GET":
            return []
        versioned = if_match_of(self.view, self.method)
        return [IDEMPOTENCY_KEY, if_match_header(versioned)] if versioned else [IDEMPOTENCY_KEY]

    def get_request_serializer(self) -> Any:
        return {}

    def get_response_serializers(self) -> Any:
        raise LookupError(f"{self.method} of {self.name} has no documented responses")

    def _credentials(self) -> str:
        accepted = {name for each in self.get_auth() for name in each}
        if not accepted:
            return "No user has to be signed in."
        if "token" not in accepted:
            return "Tokens are not accepted."
        return "Scope of the token: read or write." if self.method == "GET" else "Scope of the token: write."

    def _paragraphs(self) -> list[str]:
        text = cleandoc(getattr(self.view, self.method.lower()).__doc__ or "")
        return [" ".join(each.split()) for each in text.split("\n\n")]

    def _map_serializer(self, serializer: Any, direction: Any, bypass_extensions: bool = False) -> Any:
        schema = super()._map_serializer(serializer, direction, bypass_extensions)
        return {**schema, "additionalProperties": False} if isinstance(force_instance(serializer), Body) else schema

    def _get_request_for_media_type(self, serializer: Any, direction: Any = "request") -> Any:
        schema, needed = super()._get_request_for_media_type(serializer, direction)
        # drf-spectacular does not look into schemas and unions. An object without required fields may be left out.
        in_schema = isinstance(serializer, dict) and serializer.get("required") != []
        return schema, needed or in_schema or isinstance(serializer, PolymorphicProxySerializer)

    def _get_response_bodies(self, direction: Any = "response") -> Any:
        responses = super()._get_response_bodies(direction)
        for status, response in responses.items():
            response["description"] = response["description"] or ("Success." if status < "400" else "Not available.")
        return {**responses, "4XX": ERROR, "5XX": ERROR}

    def _resolve_path_parameters(self, variables: list[str]) -> list[Json]:
        def schema(name: str) -> Json:
            return COUNT if f"<int:{name}>" in self.path_regex else UUID if name in UUIDS else SEGMENT

        return [{"name": name, "in": "path", "required": True, "schema": schema(name)} for name in variables]

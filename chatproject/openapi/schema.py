"""The AutoSchema of the project: what drf-spectacular cannot see of an operation."""
from __future__ import annotations

from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ComponentRegistry
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse

from chatproject.openapi.addresses import names_by_path
from chatproject.openapi.operations import described
from chatproject.openapi.values import COUNT, UUID, Json
from chatproject.openapi.words import Operation

TAGS = {
    "/api/tables/": "tables", "/api/imports/": "imports", "/api/chat/": "chat", "/api/me/": "accounts",
    "/api/tokens/": "accounts", "/": "server",
}  # fmt: skip
UUIDS = {"conversation_id", "turn_id", "payload_id", "message_id"}
# A part of a path: what is between two slashes.
SEGMENT: Json = {"type": "string", "pattern": "^[^/]+$"}
KEY: Json = {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"}
VERSION: Json = {"type": "string", "format": "quoted-version"}
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key", KEY, OpenApiParameter.HEADER, description="Makes sending this twice do it once."
)
IF_MATCH = OpenApiParameter(
    "If-Match", VERSION, OpenApiParameter.HEADER, description='The version in quotes, like "3"; 412 when it has moved.'
)
KINDS = {
    "api_docs": ("text/html",), "metrics": ("text/plain",),
    "api_export": ("text/csv", "application/json", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
}  # fmt: skip
JSON, FORM, EVENTS = "application/json", "multipart/form-data", "text/event-stream"


class ApiSchema(AutoSchema):
    """Describes an operation by what is written down for the name of its URL and its method."""

    def get_operation(
        self, path: str, path_regex: str, path_prefix: str, method: str, registry: ComponentRegistry
    ) -> Any:
        self.name = names_by_path()[path]
        self.described: Operation = described(self.name, method=method.lower())
        operation = super().get_operation(path, path_regex, path_prefix, method, registry)
        if operation and self.described.public:
            operation["security"] = []
        return operation

    def get_operation_id(self) -> str:
        return f"{self.name}_{self.method.lower()}"

    def get_summary(self) -> str:
        return self.described.says

    def get_description(self) -> str:  # type: ignore[override]  # as drf-spectacular does
        return ""

    def get_tags(self) -> list[str]:
        return [next(tag for prefix, tag in TAGS.items() if self.path.startswith(prefix))]

    def get_auth(self) -> list[Json]:
        return [] if self.described.public else [{"token": []}, {"session": []}]

    def get_override_parameters(self) -> list[Any]:
        asked = [OpenApiParameter(each.name, each.schema, each.where, description=each.says)
                 for each in self.described.query]  # fmt: skip
        if self.method != "GET" and self.described.once:
            asked.append(IDEMPOTENCY_KEY)
        return [*asked, IF_MATCH] if self.described.if_match else asked

    def get_examples(self) -> list[OpenApiExample]:
        example = self.described.example
        return [] if example is None else [OpenApiExample("example", example, request_only=True)]

    def get_request_serializer(self) -> Any:
        bodies = {JSON: self.described.takes, FORM: self.described.form}
        return {kind: body for kind, body in bodies.items() if body is not None}

    def get_response_serializers(self) -> Any:
        kinds = (EVENTS,) if self.described.streams else KINDS.get(self.name, (JSON,))
        return {
            (status, *kinds): OpenApiResponse(schema, description="Done." if status < 400 else "Not now.")
            for status, schema in self.described.answers.items()
        }

    def _get_request_body(self, direction: Any = "request") -> Any:
        body = super()._get_request_body(direction)
        # A body of which nothing is needed may be left out.
        return body and {**body, "required": (self.described.takes or {}).get("required") != []}

    def _get_response_bodies(self, direction: Any = "response") -> Any:
        return {**super()._get_response_bodies(direction), "default": {"$ref": "#/components/responses/Error"}}

    def _resolve_path_parameters(self, variables: list[str]) -> list[Json]:
        def schema(name: str) -> Json:
            return COUNT if f"<int:{name}>" in self.path_regex else UUID if name in UUIDS else SEGMENT

        return [{"name": name, "in": "path", "required": True, "schema": schema(name)} for name in variables]

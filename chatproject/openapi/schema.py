"""The AutoSchema of the project: what drf-spectacular cannot see of an operation."""
from __future__ import annotations

from inspect import cleandoc
from typing import Any

from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ComponentRegistry, force_instance
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, PolymorphicProxySerializer

from chatproject.openapi.addresses import names_by_path
from chatproject.openapi.operations import described
from chatproject.openapi.words import Operation
from rest.parameters import IF_MATCH
from rest.schemas import COUNT, UUID, Json
from rest.serializers import Body, SchemaField

TAGS = {
    "/api/tables/": "tables", "/api/imports/": "imports", "/api/chat/": "chat", "/api/me/": "accounts",
    "/api/tokens/": "accounts", "/": "server",
}  # fmt: skip
UUIDS = {"conversation_id", "turn_id", "payload_id", "message_id"}
# A part of a path: what is between two slashes.
SEGMENT: Json = {"type": "string", "pattern": "^[^/]+$"}
KEY: Json = {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"}
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key", KEY, OpenApiParameter.HEADER, description="Makes sending this twice do it once."
)
KINDS = {
    "api_docs": ("text/html",), "metrics": ("text/plain",),
    "api_export": ("text/csv", "application/json", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
}  # fmt: skip
JSON, FORM, EVENTS = "application/json", "multipart/form-data", "text/event-stream"


class SchemaFieldExtension(OpenApiSerializerFieldExtension):
    """Describes a SchemaField by its schema."""

    target_class = SchemaField

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Any) -> Json:
        return dict(self.target.schema)


class ApiSchema(AutoSchema):
    """Describes an operation by its view, or by what `operations` has for the name of its URL and its method.

    The first paragraph of a method's docstring is the summary, the others are the description.
    """

    def get_operation(
        self, path: str, path_regex: str, path_prefix: str, method: str, registry: ComponentRegistry
    ) -> Any:
        self.name = names_by_path()[path]
        self.described: Operation | None = described(self.name, method=method.lower())
        operation = super().get_operation(path, path_regex, path_prefix, method, registry)
        if operation and self._is_public():
            operation["security"] = []
        return operation

    def get_operation_id(self) -> str:
        return f"{self.name}_{self.method.lower()}"

    def get_summary(self) -> str:
        return self.described.says if self.described else self._paragraphs()[0]

    def get_description(self) -> str:  # type: ignore[override]  # as drf-spectacular does
        return "" if self.described else "\n\n".join(self._paragraphs()[1:])

    def get_tags(self) -> list[str]:
        return [next(tag for prefix, tag in TAGS.items() if self.path.startswith(prefix))]

    def get_auth(self) -> list[Json]:
        return [] if self._is_public() else [{"token": []}, {"session": []}]

    def get_override_parameters(self) -> list[Any]:
        with_key = self.method != "GET" and (self.described is None or self.described.once)
        found = [IDEMPOTENCY_KEY] if with_key else []
        if self.described:
            found += [
                OpenApiParameter(each.name, each.schema, each.where, description=each.says)
                for each in self.described.query
            ]
            found += [IF_MATCH] if self.described.if_match else []
        return found

    def get_examples(self) -> list[OpenApiExample]:
        example = self.described.example if self.described else None
        return [] if example is None else [OpenApiExample("example", example, request_only=True)]

    def get_request_serializer(self) -> Any:
        if self.described is None:
            return {}
        bodies = {JSON: self.described.takes, FORM: self.described.form}
        return {kind: body for kind, body in bodies.items() if body is not None}

    def get_response_serializers(self) -> Any:
        if self.described is None:
            raise LookupError(f"{self.method} of {self.name} is not described")
        kinds = (EVENTS,) if self.described.streams else KINDS.get(self.name, (JSON,))
        return {
            (status, *kinds): OpenApiResponse(schema, description="Done." if status < 400 else "Not now.")
            for status, schema in self.described.answers.items()
        }

    def _is_public(self) -> bool:
        return self.described.public if self.described else not self.view.permission_classes

    def _paragraphs(self) -> list[str]:
        text = cleandoc(getattr(self.view, self.method.lower()).__doc__ or "")
        return [" ".join(each.split()) for each in text.split("\n\n")]

    def _map_serializer(self, serializer: Any, direction: Any, bypass_extensions: bool = False) -> Any:
        schema = super()._map_serializer(serializer, direction, bypass_extensions)
        return {**schema, "additionalProperties": False} if isinstance(force_instance(serializer), Body) else schema

    def _get_request_body(self, direction: Any = "request") -> Any:
        body = super()._get_request_body(direction)
        if not body or self.described is None:
            return body
        # A body of which nothing is needed may be left out.
        return {**body, "required": (self.described.takes or {}).get("required") != []}

    def _get_request_for_media_type(self, serializer: Any, direction: Any = "request") -> Any:
        schema, needed = super()._get_request_for_media_type(serializer, direction)
        # drf-spectacular does not look into schemas and unions.
        in_schema = isinstance(serializer, dict) and bool(serializer.get("required"))
        return schema, needed or in_schema or isinstance(serializer, PolymorphicProxySerializer)

    def _get_response_bodies(self, direction: Any = "response") -> Any:
        responses = super()._get_response_bodies(direction)
        for response in responses.values():
            response["description"] = response["description"] or "Done."
        return {**responses, "default": {"$ref": "#/components/responses/Error"}}

    def _resolve_path_parameters(self, variables: list[str]) -> list[Json]:
        def schema(name: str) -> Json:
            return COUNT if f"<int:{name}>" in self.path_regex else UUID if name in UUIDS else SEGMENT

        return [{"name": name, "in": "path", "required": True, "schema": schema(name)} for name in variables]

"""Generates the OpenAPI document with drf-spectacular from the URLs and the descriptions of their operations."""
from __future__ import annotations

from functools import lru_cache
from typing import Any

from django.utils import translation
from drf_spectacular.generators import EndpointEnumerator, SchemaGenerator
from rest_framework.views import APIView

import chat.api.schemas
import tables.api.schemas
from chatproject.middleware import allowed_methods
from chatproject.openapi.addresses import names_by_path
from shared.rest.schemas import ANY, OBJECT, TEXT, Json, array, enum, ref, response
from tables.column_types import type_names

NOT_DESCRIBED = ("HEAD", "OPTIONS")
# Which text `detail` is, and what fills its placeholders.
MESSAGE: dict[str, Json] = {"message_code": TEXT, "params": OBJECT}
SCHEMAS: dict[str, Json] = {
    "Fault": response({"value": ANY, **MESSAGE}, path=TEXT, code=TEXT, detail=TEXT),
    "Error": response({"errors": array(ref("Fault")), **MESSAGE}, error=TEXT, detail=TEXT, request_id=TEXT),
    **tables.api.schemas.COMPONENTS,
    **chat.api.schemas.COMPONENTS,
}


class Endpoints(EndpointEnumerator):
    """The URLs below /api/ and those for machines, views without DRF included."""

    def should_include_endpoint(self, path: str, callback: Any) -> bool:
        return path in names_by_path()

    def get_allowed_methods(self, callback: Any) -> list[str]:
        return [method for method in allowed_methods(callback) if method not in NOT_DESCRIBED]


class Generator(SchemaGenerator):
    """Adds the shared components, and describes a view without DRF like a method of a class of views."""

    endpoint_inspector_cls = Endpoints

    def create_view(self, callback: Any, method: str, request: Any = None) -> Any:
        if not hasattr(callback, "cls"):
            views: type[APIView] = type("PlainView", (APIView,), {method.lower(): callback})
            callback = views.as_view()
        return super().create_view(callback, method, request)

    def get_schema(self, request: Any = None, public: bool = False) -> Json:
        with translation.override("en"):
            whole: Json = super().get_schema(request, public)
        components = whole["components"]
        # Other apps may bring types of their own: the document names those there are when it is asked for.
        components["schemas"] = {**SCHEMAS, **components["schemas"], "ColumnType": enum(*type_names())}
        content = {"application/json": {"schema": ref("Error")}}
        components["responses"] = {"Error": {"description": "An error.", "content": content}}
        return whole


def without_enum_ids(result: Any, **options: Any) -> Any:
    """Remove the marks by which drf-spectacular finds equal enums."""
    if isinstance(result, list):
        return [without_enum_ids(each) for each in result]
    if not isinstance(result, dict):
        return result
    return {key: without_enum_ids(value) for key, value in result.items() if key != "x-spec-enum-id"}


def document() -> Json:
    """The OpenAPI document as a JSON object, with the column types there are now."""
    return _document(type_names())


@lru_cache(maxsize=1)
def _document(types: tuple[str, ...]) -> Json:
    return Generator().get_schema(public=True)

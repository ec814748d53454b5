"""Generates the OpenAPI document with drf-spectacular from the URLs and the descriptions of their operations."""
from __future__ import annotations

from functools import lru_cache
from typing import Any

from django.apps import apps
from django.conf import settings
from django.utils import translation
from drf_spectacular.generators import EndpointEnumerator, SchemaGenerator
from rest_framework.views import APIView

from chat.api import schemas
from chat.page_config import pages
from chat.payload_types import payload_types
from chatproject.middleware.requests import allowed_methods
from chatproject.openapi.components import with_named_schemas
from chatproject.openapi.schema import names_by_path
from shared.rest.openapi import COUNT, ID, OBJECT, TEXT, Json, array, described, enum, ref, response

NOT_DESCRIBED = ("HEAD", "OPTIONS")
# The code of the message in `detail`, and its parameters.
MESSAGE: dict[str, Json] = {
    "message_code": described(TEXT, "The code of the text in “detail”, for translations."),
    "params": described(OBJECT, "The values in “detail”."),
}
STREAM_OF_A_TABLE = (
    "Changes of a table can also be followed as server-sent events (`/api/tables/{table_id}/events/`)."
)
FAULT_FIELDS: dict[str, Json] = {
    "value": {
        "description": "The value that was refused: long texts are cut, and a list or an object is only named, "
        "such as “a JSON list”. Of a value that has changed since, the current one; in a 412, and in a 409 "
        "“plan_changed”, the id of the object that has changed; in what an undo skips or cannot restore, the value "
        "that it would restore; for a decision that is missing, the number of values that it is about. Absent without "
        "a value, also if it is empty now."
    },
    **MESSAGE,
}
# The fields that only some errors have, with their statuses and codes, except for those of single apps.
ERROR_FIELDS: dict[str, Json] = {
    "errors": described(
        array(ref("Fault")),
        "400, 409, 412, 422: the single faults; at most 1,000 values and conflicts, and 100 others.",
    ),
    "errors_count": described(COUNT, "The number of faults that were found, if “errors” has only the first ones."),
    "retry_after": described(
        COUNT, "409 “in_progress”, 429, 503: the seconds after which to repeat the request, as in Retry-After."
    ),
    "allow": described(
        TEXT,
        "405 of streams and exports, and of unknown methods: the possible ones. Elsewhere “params.methods” has them, "
        "and the header Allow always.",
    ),
    "content_range": described(TEXT, "416 of files: the size of the file, as in the header Content-Range."),
    "id": described(
        {"anyOf": [ID, TEXT]},
        "409 “already_created”: the id of what the first request with the same key created. 409 of a proposal that is "
        "not pending, or cannot be undone: its id.",
    ),
}


def _fault_schema() -> Json:
    fields = FAULT_FIELDS
    if apps.is_installed("tables"):
        from tables.api.response_schemas import FAULT_FIELDS as FAULT_FIELDS_OF_TABLES

        fields = fields | FAULT_FIELDS_OF_TABLES
    return response(
        fields,
        path=described(TEXT, "The part of the request, such as “items[0].name”; empty for all of it."),
        code=described(TEXT, "What is wrong. Codes do not change."),
        detail=described(TEXT, "The same for people, in English."),
    )


def _error_schema() -> Json:
    fields = {**ERROR_FIELDS, **schemas.ERROR_FIELDS}
    if apps.is_installed("tables"):
        from tables.api.response_schemas import ERROR_FIELDS as ERROR_FIELDS_OF_TABLES

        fields |= ERROR_FIELDS_OF_TABLES
    if apps.is_installed("fills"):
        from fills.api.serializers import ERROR_FIELDS as ERROR_FIELDS_OF_FILLS

        fields |= ERROR_FIELDS_OF_FILLS
    return response(
        {**fields, **MESSAGE},
        error=described(TEXT, "What is wrong. Codes do not change."),
        detail=described(TEXT, "The same for people, in English."),
        request_id=described(TEXT, "The id of the request in the log of the server, as in X-Request-Id."),
    )


def _column_types() -> tuple[str, ...]:
    """Return the names of the column types, none without the app `tables`. Other apps may register some."""
    if not apps.is_installed("tables"):
        return ()
    from tables.column_types import type_names

    return type_names()


def _schemas_of_tables() -> dict[str, Json]:
    if not apps.is_installed("tables"):
        return {}
    from tables.api import change_schemas, response_schemas, schemas
    from tables.importing.choices import importable_types

    types = {
        "ColumnType": described(enum(*_column_types()), "The type of the values."),
        "ImportedColumnType": described(
            enum(*importable_types(with_files=True)),
            "The type of a column of a file; “attachment” only in ZIP archives with files.",
        ),
    }
    modules = (change_schemas, response_schemas, schemas)
    return {name: schema for each in modules for name, schema in each.COMPONENTS.items()} | types


def _describe_tables(openapi: Json) -> None:
    """Describe the stream of a table and, of the registered column types, the values of cells and filter operators."""
    if not apps.is_installed("tables"):
        return
    openapi["info"]["description"] += f"\n\n{STREAM_OF_A_TABLE}"
    from tables.api.cell_values import cell_values
    from tables.api.filter_operators import filter_operators

    openapi["components"]["schemas"]["CellValue"]["description"] += f"\n\n{cell_values()}"
    operators = filter_operators()
    for operation in (each for path in openapi["paths"].values() for each in path.values()):
        for parameter in operation.get("parameters", ()):
            if parameter["schema"].get("format") == "filter":
                parameter["description"] += f"\n\n{operators}"


def _used_tags(openapi: Json) -> list[Json]:
    """Return the descriptions of the tags that operations have."""
    used = {tag for path in openapi["paths"].values() for operation in path.values() for tag in operation["tags"]}
    return [tag for tag in openapi["tags"] if tag["name"] in used]


class Endpoints(EndpointEnumerator):
    """Enumerates the described URLs, including those of Django views."""

    def should_include_endpoint(self, path: str, callback: Any) -> bool:
        return path in names_by_path()

    def get_allowed_methods(self, callback: Any) -> list[str]:
        return [method for method in allowed_methods(callback) if method not in NOT_DESCRIBED]


class Generator(SchemaGenerator):
    """Adds the components that views share, and describes Django views like methods of an APIView."""

    endpoint_inspector_cls = Endpoints

    def create_view(self, callback: Any, method: str, request: Any = None) -> Any:
        if not hasattr(callback, "cls"):
            view_class: type[APIView] = type("PlainView", (APIView,), {method.lower(): callback})
            callback = view_class.as_view()
        return super().create_view(callback, method, request)

    def get_schema(self, request: Any = None, public: bool = False) -> Json:
        with translation.override("en"):
            openapi: Json = super().get_schema(request, public)
        openapi["info"]["title"] = settings.SITE_NAME
        components = openapi["components"]
        errors = {"Fault": _fault_schema(), "Error": _error_schema()}
        components["schemas"] = {**errors, **schemas.components(), **components["schemas"], **_schemas_of_tables()}
        openapi = with_named_schemas(openapi)
        openapi["tags"] = _used_tags(openapi)
        schemas.describe_pages(openapi)
        _describe_tables(openapi)
        content = {"application/json": {"schema": ref("Error")}}
        components["responses"] = {"Error": {"description": "An error.", "content": content}}
        return openapi


def without_enum_ids(result: Any, **options: Any) -> Any:
    """Remove the ids by which drf-spectacular finds equal enums."""
    if isinstance(result, list):
        return [without_enum_ids(each) for each in result]
    if not isinstance(result, dict):
        return result
    return {key: without_enum_ids(value) for key, value in result.items() if key != "x-spec-enum-id"}


def document() -> Json:
    """Return the OpenAPI document as a JSON object, with the entries and column types that are registered now."""
    return _document(_column_types(), pages.revision, payload_types.revision)


@lru_cache(maxsize=1)
def _document(types: tuple[str, ...], *revisions: int) -> Json:
    return Generator().get_schema(public=True)

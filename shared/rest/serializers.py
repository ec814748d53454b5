"""Serializers of strict request bodies: values are not converted to other types, undeclared fields are refused."""
from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.fields import empty

from shared.rest.openapi import PAGE_URL, Json


class Body(serializers.Serializer[Any]):
    """A JSON object in a request, with `additionalProperties: false` in the OpenAPI document."""

    @classmethod
    def field_names(cls) -> tuple[str, ...]:
        """Return the names of the declared fields."""
        return tuple(cls._declared_fields)

    @classmethod
    def required_names(cls) -> tuple[str, ...]:
        """Return the names of the required fields."""
        return tuple(name for name, field in cls._declared_fields.items() if field.required)

    @classmethod
    def readers(cls) -> dict[str, Callable[[Any], Any]]:
        """Return the functions that read single fields, by name."""
        fields = {name: getattr(field, "read", None) for name, field in cls._declared_fields.items()}
        return {name: read for name, read in fields.items() if read is not None}

    @classmethod
    def read(cls, data: Json) -> Json:
        """Return the validated values of an object whose field names have been checked."""
        body = cls(data=data)
        body.is_valid(raise_exception=True)
        return dict(body.validated_data)


class EmptyBody(Body):
    """An empty object, or no body at all."""


class SchemaField(serializers.Field[Any, Any, Any, Any]):
    """A field described by a JSON schema. `read` returns its value or raises an error of its app.

    Without `read` the value is not changed; the service that receives it validates it. `read` gets `empty` for a
    required field that is absent.
    """

    def __init__(self, schema: Json, *, read: Callable[[Any], Any] | None = None, **options: Any) -> None:
        super().__init__(**options)
        self.schema, self.read = schema, read

    def run_validation(self, data: Any = empty) -> Any:
        if data is empty and not (self.required and self.read):
            return super().run_validation(data)
        return self.read(data) if self.read else data

    def to_representation(self, value: Any) -> Any:
        return value


@extend_schema_field(PAGE_URL)
class NextPageField(serializers.CharField):
    """The path and query of the next page of a list, null on the last page."""

    def __init__(self) -> None:
        super().__init__(allow_null=True, help_text="The path of the next page; null on the last one.")


@extend_schema_field({"type": "string", "format": "date-time"})
class DateTimeTextField(serializers.Field[datetime, Any, str, Any]):
    """A date-time in a response, in ISO 8601 format with its offset."""

    def to_representation(self, value: datetime) -> str:
        return value.isoformat()

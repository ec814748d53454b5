"""Serializers of strict bodies: no value is converted to another type, and undeclared fields are refused."""
from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.fields import empty

from shared.rest.schemas import Json


class Body(serializers.Serializer[Any]):
    """A JSON object in a request. The document says that it has no other fields than those declared."""

    @classmethod
    def field_names(cls) -> tuple[str, ...]:
        """The names of the declared fields."""
        return tuple(cls._declared_fields)

    @classmethod
    def required_names(cls) -> tuple[str, ...]:
        """The names of the fields that must be there."""
        return tuple(name for name, field in cls._declared_fields.items() if field.required)

    @classmethod
    def read(cls, data: Json) -> Json:
        """Return the values of an object that has no undeclared field and all required ones."""
        body = cls(data=data)
        body.is_valid(raise_exception=True)
        return dict(body.validated_data)


class EmptyBody(Body):
    """An empty object, or no body at all."""


class SchemaField(serializers.Field[Any, Any, Any, Any]):
    """A field that a JSON schema describes, whose value `read` returns or refuses with an error of its app.

    Without `read` the value stays as it is; the service that gets it checks it. The value of a required field that is
    absent is `empty`.
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


@extend_schema_field({"type": "string", "format": "date-time"})
class MomentField(serializers.Field[datetime, Any, str, Any]):
    """A time in a response, in ISO format with its offset."""

    def to_representation(self, value: datetime) -> str:
        return value.isoformat()

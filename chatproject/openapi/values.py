"""The values that the API is made of, as JSON schemas."""
from __future__ import annotations

from typing import Any

Json = dict[str, Any]

TEXT: Json = {"type": "string"}
NAME: Json = {"type": "string", "minLength": 1, "maxLength": 255}
WHOLE: Json = {"type": "integer"}
ID: Json = {"type": "integer", "minimum": 1, "maximum": 2**63 - 1}
COUNT: Json = {"type": "integer", "minimum": 0, "maximum": 10**18 - 1}
FLAG: Json = {"type": "boolean"}
ANYTHING: Json = {}
OBJECT: Json = {"type": "object"}
# Something to be seen, and nothing that cannot be.
TITLE: Json = {**NAME, "pattern": r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"}
ZONE: Json = {"type": "string", "format": "time-zone", "description": "An IANA name like Europe/Paris."}
UUID: Json = {"type": "string", "format": "uuid"}
TIME: Json = {"type": "string", "format": "date-time"}

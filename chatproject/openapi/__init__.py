"""The API described in OpenAPI 3.1: shapes and operations are written down here, addresses are taken from the URLs."""
from __future__ import annotations

from chatproject.openapi.document import document

__all__ = ["document"]

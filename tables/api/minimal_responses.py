"""Responses to writes of many rows with `Prefer: return=minimal` (RFC 7240): numbers and ids in place of the rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from shared.rest.openapi import header
from tables.services import Applied

Json = dict[str, Any]
MINIMAL = "return=minimal"
PREFER = header(
    "Prefer",
    {"type": "string", "format": "preferences"},
    "“return=minimal”: answer a write of many rows with numbers and ranges of ids in place of the rows. Other "
    "preferences are ignored.",
)


def prefers_minimal(request: Request) -> bool:
    """Return whether the client wants no rows in the response."""
    preferences = request.headers.get("Prefer", "").split(",")
    return any(each.partition(";")[0].replace('"', "").replace(" ", "").lower() == MINIMAL for each in preferences)


def minimal_response(applied: Applied, *, more: Json | None = None, status: int = 200) -> Response:
    """Return the response without rows. `more` are other fields of the response with rows."""
    ids: dict[str, list[int]] = {"add": [], "update": []}
    for entry in applied.applied:
        ids[entry["action"]].append(entry["row_id"])
    created, updated = ids["add"], dict.fromkeys(ids["update"])
    undo = f"/api/tables/{applied.table_id}/changes/{applied.change}/undo/" if applied.change else None
    body = {
        "created_count": len(created),
        "created_ids": id_ranges(created),
        "updated_count": len(updated),
        "updated_ids": id_ranges(updated),
        **(more or {}),
        "change": applied.change,
        "version": applied.version,
        "undo": undo,
    }
    return Response(body, status=status, headers={"Preference-Applied": MINIMAL})


def id_ranges(ids: Iterable[int]) -> list[list[int]]:
    """Return ids in their order, successive ones as one range with its first and last id."""
    ranges: list[list[int]] = []
    for each in ids:
        if ranges and each == ranges[-1][1] + 1:
            ranges[-1][1] = each
        else:
            ranges.append([each, each])
    return ranges

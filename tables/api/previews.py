"""Answers to dry runs, and the plans by which an apply does what a dry run showed."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from shared.user_messages import declare
from shared.user_messages.rendering import localize_preview
from shared.user_messages.request_language import is_api_client, reader_language
from tables import selectors
from tables.api.parameters import Parameters
from tables.exceptions import Invalid
from tables.operations.plans.pinned_plans import read_plan, with_body

Json = dict[str, Any]
PLAN_OF_DRY_RUN = declare("plan_of_dry_run", "A dry run makes a plan; leave this out, or leave out dry_run.")


def read_dry_run_plan(parameters: Parameters) -> str:
    """Return the plan of a dry run, "" for none. Raises Malformed, and Invalid for a dry run with a plan."""
    plan = read_plan(parameters.text("plan"))
    if plan and parameters.flag("dry_run"):
        raise Invalid.at("plan", PLAN_OF_DRY_RUN(), code="plan_of_dry_run")
    return plan


def preview_response(preview: Json, request: Request, *, keyed_by: str, table_id: int | None = None) -> Response:
    """Return a preview, its plan completed with the body of the request; cells are keyed by "name" or "id"."""
    preview["plan"] = with_body(preview["plan"], request.data)
    if keyed_by == "name":
        preview = selectors.with_column_names(preview, user=request.user, table_id=table_id)
    if is_api_client(request):
        return Response(preview)
    with reader_language(request):
        return Response(localize_preview(preview))

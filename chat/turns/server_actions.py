"""Run a suggested server action that the page offers to the user, with valid data."""
from __future__ import annotations

from typing import Any

from django.utils import timezone

from chat.actions import ActionContext, ServerAction
from chat.catalogue import CODE, PageEntries
from chat.exceptions import Forbidden, Malformed, NotFound
from chat.json_schema import faults_at
from chat.page_config import Json, PageConfig, PageContext
from chat.selectors.configuration.catalogue import current_catalogue
from chat.services.actions import run_action
from chat.turns.page import check_object_access, resolve_page_entries
from chat.turns.request import NEAREST, read_id, read_page_context, read_together, refuse_unknown, view_state
from shared.user_messages import declare

DATA_DOES_NOT_FIT = declare("data_does_not_fit", "The data does not fit the action.")
NOT_ALLOWED_HERE = declare("not_allowed_here", "You do not have permission to do this here.")
UNKNOWN_ACTION = declare("unknown_action", "This action is not available here.{hint}")

FIELDS = ("context", "data", "conversation_id")


def run_server_action(*, user: Any, action: str, body: Json) -> Json:
    """Run the action and return `{"id","action","message","data"}`.

    `body` has `context` as for a turn, `data` and `conversation_id`. Raises Malformed with paths, NotFound for an
    action that the page does not have, Forbidden for one that the user may not run, and the errors of page and action.
    """
    (config, context, object_id), conversation_id = read_action_fields(body)
    entry = _offered_entry(action, user=user, config=config, context=context, object_id=object_id)
    data = _read_data(body, entry=entry)
    run = run_action(
        user=user,
        action=entry,
        data=data,
        context=ActionContext(page=config.page, object_id=object_id, conversation_id=conversation_id),
        now=timezone.now(),
    )
    return {"id": str(run.pk), "action": run.action, "message": run.message, "data": run.answer}


def read_action_fields(body: Json) -> tuple[tuple[PageConfig, Json, str], str]:
    """Return the page, context and object id, and the id of the conversation. Raises Malformed with all faults."""
    page, conversation_id, _ = read_together(
        lambda: read_page_context(body.get("context")),
        lambda: read_id(body, "conversation_id"),
        lambda: refuse_unknown(body, known=FIELDS),
    )
    return page, conversation_id


def check_action_data(*, user: Any, action: str, body: Json) -> None:
    """Raise Malformed for data that does not fit the action, if the page is known, and the errors of the page."""
    try:
        config, context, object_id = read_page_context(body.get("context"))
    except Malformed:
        return
    _read_data(body, entry=_offered_entry(action, user=user, config=config, context=context, object_id=object_id))


def _offered_entry(action: str, *, user: Any, config: PageConfig, context: Json, object_id: str) -> ServerAction:
    """Return the action that the page offers to the user. Raises Forbidden, NotFound."""
    view = view_state(context, config=config)
    page_context = PageContext(user=user, page=config.page, object_id=object_id, view=view)
    tab, subtab = str(context.get("active_tab") or ""), str(context.get("active_subtab") or "")
    catalogue = current_catalogue()
    page_entries = resolve_page_entries(page_context, tab=tab, subtab=subtab, catalogue=catalogue)
    check_object_access(page_context)
    whole = catalogue.resolve(config.page, tab=tab, subtab=subtab)
    return _entry(action, offered=page_entries, whole=whole)


def _read_data(body: Json, *, entry: ServerAction) -> Json:
    data = body.get("data", {})
    faults = faults_at("data", data, schema=entry.parameters)
    if not isinstance(data, dict) or faults:
        raise Malformed(DATA_DOES_NOT_FIT(), path="data", faults=faults)
    return data


def _entry(action: str, *, offered: PageEntries, whole: PageEntries | None) -> ServerAction:
    """Return the offered action of that name. Raises Forbidden, NotFound."""
    for entry in offered.server_actions:
        if entry.action == action:
            return entry
    if whole is not None and any(entry.action == action for entry in whole.server_actions):
        raise Forbidden(NOT_ALLOWED_HERE())
    nearest = CODE.server_actions.nearest(action)
    offers = nearest is not None and any(entry.action == nearest for entry in offered.server_actions)
    hint = NEAREST(name=nearest) if nearest and offers else ""
    raise NotFound(UNKNOWN_ACTION(hint=hint))

"""Try it: the form of an entry as it stands, and a message; the answer is the stream of one turn by that draft."""
from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponseBase, QueryDict

from chat.admin.drafts import Draft, bringing_it_there, draft_in, edits_in
from chat.admin.preview_targets import TRIED, place_in
from chat.exceptions import Forbidden, Invalid, Malformed, WrongMethod
from chat.selectors import may_try
from chat.selectors.ids import UUID_FORM
from chat.services.configuration import Edit
from chat.turns.database import in_database
from chat.turns.request import MOST_CHARACTERS
from chat.turns.runtime import current_runtime
from chat.turns.sandbox import Trial, start_trial
from chat.views import stream_of, stream_slot
from sockets.credentials import credential_of
from strictjson.invisible import is_blank
from user_messages import literal
from user_messages.request_messages import ONLY_METHOD, TEXT_BETWEEN, UUID_NEEDED


async def try_draft(request: HttpRequest, *, kind: str = "", name: str = "") -> HttpResponseBase:
    """POST the form with `message` and `client_turn_id`, and with `where`, `person`, `object` as the preview has them;
    of a new entry without `name`.

    Sent again it joins the turn that it began. Errors have the shape of the API's.
    """
    user = await request.auser()
    if not await in_database(may_try, user, real=False):
        raise Forbidden(literal("You may not try out drafts."))
    if request.method != "POST":
        raise WrongMethod(ONLY_METHOD(method="POST"), extra={"allow": "POST"})
    runtime = current_runtime()
    async with stream_slot(runtime, user=user) as place:
        trial = await in_database(_trial_in, request.POST, user=user, kind=kind, name=name)
        credential = credential_of(request, user=user)
        turn = await start_trial(runtime, user=user, trial=trial, credential=credential)
        return stream_of(runtime, turn_id=turn.pk, after=0, credential=credential, slot=place)


def _trial_in(form: QueryDict, *, user: Any, kind: str, name: str) -> Trial:
    """What is to be tried. Raises Malformed, Invalid for the draft, and what the choice of a place raises."""
    message = form.get("message", "").replace("\r\n", "\n")
    if is_blank(message) or len(message) > MOST_CHARACTERS:
        raise Malformed(TEXT_BETWEEN(least=1, most=MOST_CHARACTERS), path="message")
    client_turn_id = form.get("client_turn_id", "")
    if not UUID_FORM.fullmatch(client_turn_id):
        raise Malformed(UUID_NEEDED(), path="client_turn_id")
    draft = draft_in(form, kind=kind, name=name) if kind else None
    edits = _edits_in(form, draft=draft) if draft else []
    place = place_in(form, user=user, about=draft.address if draft else None, said=TRIED)
    brought = bringing_it_there(edits, draft=draft, place=place) if draft else []
    return Trial(client_turn_id=UUID(client_turn_id), unsaved=[*edits, *brought], place=place, message=message)


def _edits_in(form: QueryDict, *, draft: Draft) -> list[Edit]:
    try:
        return edits_in(form, draft=draft)
    except Malformed as error:
        raise Invalid(error.detail, path=error.path, faults=error.faults) from None

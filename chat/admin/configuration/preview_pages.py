"""Preview of the prompt with unsaved edits, and trial turns with them."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict

from chat.admin.access_log import PREVIEWED, TRIED
from chat.admin.configuration.base import UNPROCESSABLE, ConfigurationPages, title_of
from chat.admin.configuration.draft_pages import keep_draft, source_of
from chat.admin.configuration.drafts import Draft, edits_to_select, read_draft, read_edits
from chat.admin.configuration.entry_form import is_entry_field
from chat.admin.configuration.preview_targets import preview_target_choices, read_preview_target
from chat.configuration import difference
from chat.exceptions import ChatError, Forbidden, Invalid, Malformed, WrongMethod
from chat.selectors import may_try_drafts
from chat.selectors.access import UUID_FORM
from chat.services.configuration.changes import Edit
from chat.services.configuration.drafts import DraftForm
from chat.turns.database import in_database
from chat.turns.prompt.preview import Preview, PreviewSection, preview_prompt
from chat.turns.request import MAX_CHARACTERS
from chat.turns.runtime import current_runtime
from chat.turns.sandbox import Trial, start_trial
from chat.views import stream_of, stream_slot
from shared.strictjson.invisible import is_blank
from shared.user_messages import literal
from shared.user_messages.request_messages import ONLY_METHOD, TEXT_BETWEEN, UUID_NEEDED
from shared.websockets.credentials import credential_of

# Value of the field `compare`: show differences from the defaults, and not from the saved texts.
COMPARE_DEFAULT = "default"
# The value of `side` for a trial of the stored configuration.
SAVED = "saved"


class PreviewPages(ConfigurationPages):
    """The page that shows the prompt section by section."""

    def preview(self, request: HttpRequest, *, kind: str = "", name: str = "") -> HttpResponse:
        """Show the prompt of the selected page with the submitted form of an entry, a new one if `name` is ""."""
        draft = read_draft(request.POST, kind=kind, name=name) if kind else None
        address = draft.address if draft else None
        # A link can select a page, but no data of a user, because access to that is recorded.
        fields = request.POST if request.method == "POST" else _only_where(request.GET)
        source = _keep_input(request, draft=draft)
        faults: list[str] = []
        selecting: list[Edit] = []
        preview: Preview | None = None
        try:
            edits = read_edits(request.POST, draft=draft) if draft else []
            target = read_preview_target(fields, user=request.user, address=address, action=PREVIEWED)
            selecting = edits_to_select(draft, edits=edits, target=target) if draft else []
            preview = preview_prompt(target, unsaved=[*edits, *selecting])
        except Forbidden:
            raise PermissionDenied from None
        except ChatError as error:
            faults = [error.detail]
        return self.render(
            request,
            "preview",
            status=UNPROCESSABLE if faults else 200,
            title=f"Prompt preview: {title_of(draft.kind, draft.address.name or 'new')}" if draft else "Prompt preview",
            draft=draft,
            selected_by=selecting[0].address if selecting else None,
            faults=faults,
            preview=preview,
            sections=_compared(preview.sections if preview else ()),
            page_settings=_compared(preview.settings if preview else ()),
            first_unsaved=next((section.number for section in _all_sections(preview) if section.unsaved), None),
            from_default=fields.get("compare") == COMPARE_DEFAULT,
            hidden_fields=list(_hidden_fields(request.POST)),
            source=source,
            **preview_target_choices(fields, user=request.user, address=address),
        )


async def try_draft(request: HttpRequest, *, kind: str = "", name: str = "") -> HttpResponseBase:
    """Stream a turn under the submitted form of an entry, a new one if `name` is "".

    POST the form with `message`, `client_turn_id`, and the fields of `preview_targets`; optionally `conversation_id` of
    an earlier trial, and `side=saved` for the stored configuration. A `client_turn_id` that was sent before continues
    its turn's stream. Errors have the format of the API.
    """
    user = await request.auser()
    if not await in_database(may_try_drafts, user, real=False):
        raise Forbidden(literal("You do not have permission to try drafts."))
    if request.method != "POST":
        raise WrongMethod(ONLY_METHOD(method="POST"), extra={"allow": "POST"})
    runtime = current_runtime()
    async with stream_slot(runtime, user=user) as slot:
        trial = await in_database(_read_trial, request.POST, user=user, kind=kind, name=name)
        credential = credential_of(request, user=user)
        turn = await start_trial(runtime, user=user, trial=trial, credential=credential)
        return stream_of(runtime, turn_id=turn.pk, after=0, credential=credential, slot=slot)


def _keep_input(request: HttpRequest, *, draft: Draft | None) -> DraftForm:
    """Store the submitted form as the user's draft, and return the form as the source of the draft from then on."""
    source = source_of(request.POST)
    if draft is None or not any(map(is_entry_field, request.POST)):
        return source
    try:
        stored = keep_draft(request, edited=draft)
    except ChatError:
        # Another tab has other input. This one is on the page only.
        return source
    return DraftForm(stored.token, stored.revision) if stored else source


def _all_sections(preview: Preview | None) -> tuple[PreviewSection, ...]:
    return (*preview.sections, *preview.settings) if preview else ()


def _compared(sections: Iterable[PreviewSection]) -> list[dict[str, Any]]:
    """Return each section with its differences from the saved text and from the default."""
    return [
        {
            "section": section,
            "from_saved": difference(section.stored, section.text),
            "from_default": difference(section.default, section.text),
        }
        for section in sections
    ]


def _only_where(query: QueryDict) -> QueryDict:
    fields = QueryDict(mutable=True)
    fields["where"] = query.get("where", "")
    return fields


def _hidden_fields(form: QueryDict) -> Iterator[tuple[str, str]]:
    """Yield the fields of the entry's form, which the page submits again."""
    for key in form:
        if is_entry_field(key):
            yield from ((key, value) for value in form.getlist(key))


def _read_trial(form: QueryDict, *, user: Any, kind: str, name: str) -> Trial:
    """Return the trial. Raises Malformed, Invalid for an unreadable draft, and the errors of `read_preview_target`."""
    message = form.get("message", "").replace("\r\n", "\n")
    if is_blank(message) or len(message) > MAX_CHARACTERS:
        raise Malformed(TEXT_BETWEEN(least=1, most=MAX_CHARACTERS), path="message")
    client_turn_id = form.get("client_turn_id", "")
    if not UUID_FORM.fullmatch(client_turn_id):
        raise Malformed(UUID_NEEDED(), path="client_turn_id")
    draft = read_draft(form, kind=kind, name=name) if kind else None
    address = draft.address if draft else None
    if form.get("side") == SAVED:
        draft = None
    edits = _read_trial_edits(form, draft=draft) if draft else []
    target = read_preview_target(form, user=user, address=address, action=TRIED)
    selecting = edits_to_select(draft, edits=edits, target=target) if draft else []
    return Trial(
        client_turn_id=UUID(client_turn_id),
        unsaved=[*edits, *selecting],
        target=target,
        message=message,
        conversation_id=form.get("conversation_id", ""),
    )


def _read_trial_edits(form: QueryDict, *, draft: Draft) -> list[Edit]:
    try:
        return read_edits(form, draft=draft)
    except Malformed as error:
        raise Invalid(error.detail, path=error.path, faults=error.faults) from None

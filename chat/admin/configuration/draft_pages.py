"""Drafts of the signed-in administrator: stored while typing, offered when the entry is opened again."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol
from uuid import uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect, JsonResponse, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html

from chat.admin.configuration.base import CONFLICT, UNPROCESSABLE, ConfigurationPages
from chat.admin.configuration.bound_fields import DiffLines
from chat.admin.configuration.drafts import read_draft
from chat.admin.configuration.entry_form import is_entry_field
from chat.configuration import Address
from chat.exceptions import ChatError, NotFound, Settled
from chat.models import ConfigurationDraft
from chat.selectors.configuration.drafts import draft_of, drafts_of
from chat.selectors.configuration.prompt_tests import PROMPT_TEST
from chat.services.configuration.drafts import DraftForm, delete_draft, discard_draft, restore_draft, store_draft

# Query parameter of an entry's page: fill the form with the draft.
CONTINUE = "draft"
# Query parameter of the address of a draft: return to the list of drafts.
FROM_LIST = "list"
# More digits than the id of a draft has.
MAX_DIGITS = 12

Json = dict[str, Any]


class EditedForm(Protocol):
    """A form with a draft: that of an entry or of a stored test."""

    @property
    def draft_address(self) -> Address:
        """The address of its draft; the name is "" for a new entry or test."""

    def has_changes(self, form: QueryDict) -> bool:
        """Return whether the submitted form differs from what is stored."""

    def differences(self, form: QueryDict) -> list[tuple[str, DiffLines]]:
        """Return the labels of the changed fields, each with its difference from the stored value."""

    def token_counts(self, form: QueryDict) -> dict[str, int]:
        """Return the estimated tokens of each text that shows them, by the name of its form field."""


class DraftPages(ConfigurationPages):
    """The address that stores, discards and restores drafts."""

    def draft(self, request: HttpRequest, *, kind: str, name: str = "") -> HttpResponse:
        """Store the submitted form of an entry as the user's draft, or discard or restore the draft."""
        address = Address(kind, name)
        return self.draft_response(request, address, read=lambda: read_draft(request.POST, kind=kind, name=name))

    def draft_response(
        self, request: HttpRequest, address: Address, *, read: Callable[[], EditedForm]
    ) -> HttpResponse:
        """Store the submitted form as the user's draft; with `discard` or `restore`, open the form or the list again.

        Returns `revision` (0: no draft, because the form has no changes), `message`, and estimated `tokens` by field.
        """
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        if "discard" in request.POST:
            return _discard(request, address=address)
        if "restore" in request.POST:
            return _restore(request, address=address)
        edited = read()
        answer: Json = {"tokens": edited.token_counts(request.POST)}
        try:
            stored = keep_draft(request, edited=edited)
        except ChatError as error:
            status = CONFLICT if isinstance(error, Settled) else UNPROCESSABLE
            return JsonResponse({**answer, "message": error.detail}, status=status)
        if stored is None:
            return JsonResponse({**answer, "revision": 0, "message": ""})
        message = f"Unsaved changes stored at {_time_of(stored)}"
        return JsonResponse({**answer, "revision": stored.revision, "message": message})


def listed_drafts(request: HttpRequest) -> list[Json]:
    """Return the template context of the list of the user's drafts, the discarded ones last."""
    found = []
    for summary in drafts_of(request.user):
        edit_url, draft_url = draft_urls(Address(summary.draft.kind, summary.draft.name))
        urls = {"continue_url": f"{edit_url}?{CONTINUE}=continue", "draft_url": f"{draft_url}?{FROM_LIST}"}
        found.append({**vars(summary), **urls})
    return found


def keep_draft(request: HttpRequest, *, edited: EditedForm) -> ConfigurationDraft | None:
    """Store the submitted form as the user's draft, or delete the draft if the form changes nothing.

    Raises the errors of `store_draft`.
    """
    form, address, source = request.POST, edited.draft_address, source_of(request.POST)
    if not edited.has_changes(form):
        delete_draft(user=request.user, address=address, token=source.token)
        return None
    return store_draft(
        user=request.user,
        address=address,
        form={key: form.getlist(key) for key in form if is_entry_field(key)},
        source=source,
        now=timezone.now(),
    )


def forget_draft(request: HttpRequest, *, edited: EditedForm) -> None:
    """Delete the user's draft of this form, because the form was saved."""
    delete_draft(user=request.user, address=edited.draft_address, token=source_of(request.POST).token)


def continued_draft(request: HttpRequest, *, edited: EditedForm) -> QueryDict | None:
    """Return the form of the user's draft if the request continues it."""
    stored = draft_of(request.user, address=edited.draft_address) if CONTINUE in request.GET else None
    return _form_of(stored) if stored else None


def draft_context(request: HttpRequest, *, edited: EditedForm, form: QueryDict | None) -> Json:
    """Return the template context: the form as the source of a draft, and the stored draft where it is offered.

    `form` is the input that the page shows, None for the stored values.
    """
    if request.method == "POST":
        return {"source": source_of(request.POST), "has_input": True, "offered": None}
    stored = draft_of(request.user, address=edited.draft_address)
    if stored and form is not None:
        return {"source": DraftForm(stored.token, stored.revision), "has_input": True, "offered": None}
    context: Json = {"source": DraftForm(str(uuid4()), 0), "has_input": False, "offered": None}
    if stored:
        differences = edited.differences(_form_of(stored))
        context["offered"] = {"since": _time_of(stored), "differences": differences}
    return context


def source_of(form: QueryDict) -> DraftForm:
    """Return the form as the source of a draft."""
    revision = form.get("draft_revision", "")
    digits = revision.isascii() and revision.isdigit() and len(revision) < 10
    return DraftForm(form.get("draft_token", "")[:36] or str(uuid4()), int(revision) if digits else 0)


def _form_of(stored: ConfigurationDraft) -> QueryDict:
    form = QueryDict(mutable=True)
    for key, values in stored.form.items() if isinstance(stored.form, dict) else ():
        form.setlist(key, values)
    return form


def _time_of(stored: ConfigurationDraft) -> str:
    """Return the time, with the date unless it is today."""
    moment = timezone.localtime(stored.updated_at)
    return date_format(moment, "H:i" if moment.date() == timezone.localdate() else "Y-m-d H:i")


def draft_urls(address: Address) -> tuple[str, str]:
    """Return the URL of the form of a draft, and the one that stores, discards and restores it."""
    if address.kind == PROMPT_TEST:
        name, args = ("test", [address.name]) if address.name else ("test_add", [])
    else:
        name, args = ("entry", [*address]) if address.name else ("add", [address.kind])
    url = f"admin:chat_configuration_{name}"
    return reverse(url, args=args), reverse(f"{url}_draft", args=args)


def _discard(request: HttpRequest, *, address: Address) -> HttpResponse:
    discarded = discard_draft(user=request.user, address=address, now=timezone.now())
    if discarded is not None:
        messages.success(request, _with_undo("Unsaved changes discarded.", request, discarded=discarded))
    return HttpResponseRedirect(_url_after(request, address=address))


def _restore(request: HttpRequest, *, address: Address) -> HttpResponse:
    number = request.POST["restore"]
    draft_id = int(number) if number.isascii() and number.isdigit() and len(number) <= MAX_DIGITS else 0
    try:
        replaced = restore_draft(draft_id, user=request.user, address=address, now=timezone.now())
    except NotFound as error:
        messages.error(request, error.detail)
    else:
        if replaced is None:
            messages.success(request, "Unsaved changes restored.")
        else:
            text = "Unsaved changes restored. Your newer ones were discarded."
            messages.success(request, _with_undo(text, request, discarded=replaced))
    return HttpResponseRedirect(_url_after(request, address=address))


def _with_undo(text: str, request: HttpRequest, *, discarded: ConfigurationDraft) -> str:
    """Return the message with a button that restores a draft; it belongs to the form of `_page.html`."""
    _, url = draft_urls(Address(discarded.kind, discarded.name))
    url += f"?{FROM_LIST}" if FROM_LIST in request.GET else ""
    button = '<button type="submit" class="undo" form="undo" formaction="{}" name="restore" value="{}">Undo</button>'
    return format_html("{} " + button, text, url, discarded.pk)


def _url_after(request: HttpRequest, *, address: Address) -> str:
    """Return the URL of the page that a draft was discarded or restored on."""
    return reverse("admin:chat_override_changelist") if FROM_LIST in request.GET else draft_urls(address)[0]

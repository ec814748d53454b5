"""Drafts of the signed-in administrator: stored while typing, offered when the entry is opened again."""
from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect, JsonResponse, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from chat.admin.configuration.base import CONFLICT, UNPROCESSABLE, ConfigurationPages
from chat.admin.configuration.bound_fields import draft_differences, token_counts
from chat.admin.configuration.drafts import Draft, read_draft, read_edits
from chat.admin.configuration.entry_form import is_entry_field
from chat.configuration import Address
from chat.exceptions import ChatError, Malformed, Settled
from chat.models import ConfigurationDraft
from chat.selectors.configuration.drafts import draft_of
from chat.services.configuration.drafts import DraftForm, delete_draft, store_draft

# Query parameter of an entry's page: fill the form with the draft.
CONTINUE = "draft"

Json = dict[str, Any]


class DraftPages(ConfigurationPages):
    """The address that stores and discards drafts."""

    def draft(self, request: HttpRequest, *, kind: str, name: str = "") -> HttpResponse:
        """Store the submitted form as the user's draft; with `discard`, delete the draft and open the entry again.

        Returns `revision` (0: no draft, because the form has no changes), `message`, and estimated `tokens` by field.
        """
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        if "discard" in request.POST:
            address = Address(kind, name)
            delete_draft(user=request.user, address=address)
            return HttpResponseRedirect(_url_after_discarding(request, address=address))
        edited = read_draft(request.POST, kind=kind, name=name)
        answer: Json = {"tokens": token_counts(edited.kind, form=request.POST)}
        try:
            stored = keep_draft(request, edited=edited)
        except ChatError as error:
            status = CONFLICT if isinstance(error, Settled) else UNPROCESSABLE
            return JsonResponse({**answer, "message": error.detail}, status=status)
        if stored is None:
            return JsonResponse({**answer, "revision": 0, "message": ""})
        message = f"Unsaved changes stored at {_time_of(stored)}"
        return JsonResponse({**answer, "revision": stored.revision, "message": message})


def keep_draft(request: HttpRequest, *, edited: Draft) -> ConfigurationDraft | None:
    """Store the submitted form as the user's draft, or delete the draft if the form changes nothing.

    Raises the errors of `store_draft`.
    """
    form, address, source = request.POST, _stored_address(edited), source_of(request.POST)
    if not _changes_anything(form, edited=edited):
        delete_draft(user=request.user, address=address, token=source.token)
        return None
    return store_draft(
        user=request.user,
        address=address,
        form={key: form.getlist(key) for key in form if is_entry_field(key)},
        source=source,
        now=timezone.now(),
    )


def forget_draft(request: HttpRequest, *, edited: Draft) -> None:
    """Delete the user's draft of this form, because the form was saved."""
    delete_draft(user=request.user, address=_stored_address(edited), token=source_of(request.POST).token)


def continued_draft(request: HttpRequest, *, edited: Draft) -> QueryDict | None:
    """Return the form of the user's draft if the request continues it."""
    stored = draft_of(request.user, address=_stored_address(edited)) if CONTINUE in request.GET else None
    return _form_of(stored) if stored else None


def draft_context(request: HttpRequest, *, edited: Draft, form: QueryDict | None) -> Json:
    """Return the template context: the form as the source of a draft, and the stored draft where it is offered.

    `form` is the input that the page shows, None for the stored values.
    """
    if request.method == "POST":
        return {"source": source_of(request.POST), "has_input": True, "offered": None}
    stored = draft_of(request.user, address=_stored_address(edited))
    if stored and form is not None:
        return {"source": DraftForm(stored.token, stored.revision), "has_input": True, "offered": None}
    context: Json = {"source": DraftForm(str(uuid4()), 0), "has_input": False, "offered": None}
    if stored:
        differences = draft_differences(edited.kind, entry=edited.entry, form=_form_of(stored))
        context["offered"] = {"since": _time_of(stored), "differences": differences}
    return context


def _stored_address(edited: Draft) -> Address:
    """Return the address of the stored draft: a new entry has none yet, whatever name is typed."""
    return edited.address if edited.entry else Address(edited.kind.name, "")


def source_of(form: QueryDict) -> DraftForm:
    """Return the form as the source of a draft."""
    revision = form.get("draft_revision", "")
    digits = revision.isascii() and revision.isdigit() and len(revision) < 10
    return DraftForm(form.get("draft_token", "")[:36] or str(uuid4()), int(revision) if digits else 0)


def _changes_anything(form: QueryDict, *, edited: Draft) -> bool:
    if form.get("why", "").strip():
        return True
    if edited.entry is None:
        ignored = {"seen", "field-enabled"}
        return any(value.strip() for key in form if is_entry_field(key) and key not in ignored
                   for value in form.getlist(key))  # fmt: skip
    try:
        return any(edit.values for edit in read_edits(form, draft=edited))
    except Malformed:
        return True


def _form_of(stored: ConfigurationDraft) -> QueryDict:
    form = QueryDict(mutable=True)
    for key, values in stored.form.items() if isinstance(stored.form, dict) else ():
        form.setlist(key, values)
    return form


def _time_of(stored: ConfigurationDraft) -> str:
    """Return the time, with the date unless it is today."""
    moment = timezone.localtime(stored.updated_at)
    return date_format(moment, "H:i" if moment.date() == timezone.localdate() else "Y-m-d H:i")


def _url_after_discarding(request: HttpRequest, *, address: Address) -> str:
    if request.POST["discard"] == "list":
        return reverse("admin:chat_override_changelist")
    if address.name:
        return reverse("admin:chat_configuration_entry", args=address)
    return reverse("admin:chat_configuration_add", args=[address.kind])

"""Confirmation of changes that remove or replace values: what changes, where it is used, and the current version."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.html import format_html

from chat.admin.configuration.base import ConfigurationPages, status_of
from chat.admin.configuration.entry_form import RESET_PREFIX, version_seen
from chat.configuration import ADDED, KINDS, difference
from chat.exceptions import ChatError
from chat.selectors.configuration.entries import EntryView
from chat.selectors.configuration.names import entry_title, place_name
from chat.selectors.configuration.usage import Usage, usage_of
from chat.services.configuration.changes import RESET, Edit
from chat.services.configuration.import_export import PlannedChange

# The name of the submit button, and the version of the configuration that the page was rendered from.
CONFIRM, SHOWN = "confirm", "shown"
# Entries whose use is shown; an import can change all of them.
MAX_USAGES = 50
# No version is -1, so a confirmation without a version is refused.
NO_VERSION = -1
APPLIES = "Applies from the next message."


class Confirmation(NamedTuple):
    """A confirmation page: its title, the label of its button, and the URL to return to without a change.

    `fields` are submitted again with the confirmation, `edit_url` is where they can be edited.
    """

    title: str
    button: str
    back: str
    fields: Sequence[tuple[str, str]] = ()
    why: str = ""
    edit_url: str = ""


class ConfirmationPages(ConfigurationPages):
    """Pages that ask before they remove or replace values."""

    def render_confirmation(
        self,
        request: HttpRequest,
        confirmation: Confirmation,
        *,
        changes: Iterable[PlannedChange],
        shown: int,
        error: ChatError | None = None,
    ) -> HttpResponse:
        """Show the changes with a form that confirms them for the version `shown`, read before them."""
        return self.render(
            request,
            "confirm",
            status=status_of(error),
            error=error.detail if error else "",
            changes=changes_context(changes),
            shown=shown,
            **confirmation._asdict(),
        )

    def report_change(
        self, request: HttpRequest, text: str, *, version: int, before: int | None, hint: str = APPLIES
    ) -> None:
        """Show a message with a button that undoes the change, unless the version is still `before`.

        The button belongs to the form of `_page.html`.
        """
        if version == before:
            messages.success(request, "No changes to save.")
            return
        button = '<button type="submit" class="undo" form="undo" name="version" value="{}">Undo</button>'
        messages.success(request, format_html("{} {} " + button, text, hint, version))


def asks(edits: Sequence[Edit], *, form: QueryDict, entry: EntryView) -> bool:
    """Return whether saving this form must be confirmed: it deletes or resets values, or switches the entry off."""
    values = {name: value for edit in edits if edit.address == entry.address for name, value in edit.values.items()}
    if "remove" in form or any(form.get(RESET_PREFIX + name) for name, value in values.items() if value is RESET):
        return bool(values)
    enabled = next((view.value for view in entry.fields if view.field.name == "enabled"), True)
    return values.get("enabled", True) is False and enabled is not False


def shown_version(form: QueryDict) -> int:
    """Return the version that was confirmed."""
    version = version_seen(form, name=SHOWN)
    return NO_VERSION if version is None else version


def submitted_fields(form: QueryDict) -> Iterator[tuple[str, str]]:
    """Yield the fields of a form, which the confirmation submits again."""
    for key in form:
        if key not in {"csrfmiddlewaretoken", CONFIRM, SHOWN, "why"}:
            yield from ((key, value) for value in form.getlist(key))


def changes_context(changes: Iterable[PlannedChange]) -> list[dict[str, Any]]:
    """Return the template context of planned changes; the first of each entry that ends or is off has its use."""
    changes = list(changes)
    ended = dict.fromkeys(change.address for change in changes if _ends(change))
    # In the order of the changes, so that the first entries have theirs.
    usages = usage_of(list(ended)[:MAX_USAGES]) if ended else {}
    deleted = {change.address for change in changes if change.field == ADDED and change.after is None}
    return [
        change_context(change)
        | {"usage": _usage_context(usages.pop(change.address, None)), "is_deleted": change.address in deleted}
        for change in changes
    ]


def _usage_context(usage: Usage | None) -> dict[str, Any] | None:
    """Return the template context of the use of an entry, with readable names of pages."""
    if usage is None:
        return None
    return {**vars(usage), "places": usage.places and [place_name(place) for place in usage.places]}


def change_context(change: PlannedChange) -> dict[str, Any]:
    """Return the template context of a planned change."""
    before = change.default if change.before is None else change.before["value"]
    after = change.default if change.after is None else change.after["value"]
    kind = KINDS.get(change.address.kind)
    field = kind.field(change.field) if kind else None
    is_added = change.field == ADDED
    return {
        "title": entry_title(change.address),
        "field": field.label if field else "Whole entry" if is_added else change.field,
        "is_entry": is_added,
        "is_reset": change.after is None,
        "lines": [] if is_added else difference(before, after),
    }


def _ends(change: PlannedChange) -> bool:
    """Return whether a value is reset, an entry deleted or switched off."""
    return change.after is None or (change.field == "enabled" and change.after["value"] is False)

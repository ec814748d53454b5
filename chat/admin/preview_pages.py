"""The whole prompt in the admin, with what is not saved yet: by example, or as a person has it, which is recorded."""
from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict

from chat.admin.configuration_pages import REFUSED, ConfigurationPages, title_of
from chat.admin.entry_form import FIELD, RESET_BOX, unsaved_in
from chat.admin.places import LOOKED, choices_in, place_in
from chat.configuring import Address
from chat.exceptions import ChatError, Forbidden
from chat.selectors.configuration import difference, entry_view
from chat.turns.preview import Preview, PreviewSection, preview_prompt


class PreviewPages(ConfigurationPages):
    """What a turn would send, section by section."""

    def preview(self, request: HttpRequest, *, kind: str = "", name: str = "") -> HttpResponse:
        """The prompt at the place that was chosen, with the form of the entry as it was sent."""
        entry = entry_view(Address(kind, name)) if kind else None
        faults: list[str] = []
        seen: Preview | None = None
        try:
            place = place_in(request.POST, user=request.user, entry=entry, said=LOOKED)
            seen = preview_prompt(place, unsaved=unsaved_in(request.POST, entry=entry))
        except Forbidden:
            raise PermissionDenied from None
        except ChatError as error:
            faults = [error.detail]
        return self.shown(
            request,
            "preview",
            status=REFUSED if faults else 200,
            title=f"The prompt: {title_of(entry.kind, name)}" if entry else "The prompt",
            entry=entry,
            faults=faults,
            seen=seen,
            sections=_drawn(seen.sections if seen else ()),
            beside=_drawn(seen.beside if seen else ()),
            kept=list(_kept(request.POST)),
            **choices_in(request.POST, user=request.user, entry=entry),
        )


def _drawn(sections: Iterable[PreviewSection]) -> list[tuple[PreviewSection, list[tuple[str, str]]]]:
    """Each section with its difference to the code's."""
    return [(section, difference(section.default, section.text)) for section in sections]


def _kept(form: QueryDict) -> Iterator[tuple[str, str]]:
    """What of the form is carried along until it is saved."""
    for key in form:
        if key.startswith((FIELD, RESET_BOX)) or key in {"seen", "why"}:
            yield from ((key, value) for value in form.getlist(key))

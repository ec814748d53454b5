"""The whole prompt in the admin, with what is not saved yet: by example, or as a person has it, which is recorded."""
from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict

from chat.admin.configuration_pages import REFUSED, ConfigurationPages, title_of
from chat.admin.drafts import bringing_it_there, draft_in, edits_in
from chat.admin.entry_form import FIELD, RESET_BOX
from chat.admin.preview_targets import LOOKED, choices_in, place_in
from chat.configuration import difference
from chat.exceptions import ChatError, Forbidden
from chat.services.configuration import Edit
from chat.turns.preview import Preview, PreviewSection, preview_prompt


class PreviewPages(ConfigurationPages):
    """What a turn would send, section by section."""

    def preview(self, request: HttpRequest, *, kind: str = "", name: str = "") -> HttpResponse:
        """The prompt at the place that was chosen, with the form of the entry as it was sent; of a new one without
        `name`."""
        draft = draft_in(request.POST, kind=kind, name=name) if kind else None
        about = draft.address if draft else None
        faults: list[str] = []
        brought: list[Edit] = []
        seen: Preview | None = None
        try:
            edits = edits_in(request.POST, draft=draft) if draft else []
            place = place_in(request.POST, user=request.user, about=about, said=LOOKED)
            brought = bringing_it_there(edits, draft=draft, place=place) if draft else []
            seen = preview_prompt(place, unsaved=[*edits, *brought])
        except Forbidden:
            raise PermissionDenied from None
        except ChatError as error:
            faults = [error.detail]
        return self.shown(
            request,
            "preview",
            status=REFUSED if faults else 200,
            title=f"The prompt: {title_of(draft.kind, draft.address.name or 'a new one')}" if draft else "The prompt",
            draft=draft,
            brought=brought[0].address if brought else None,
            faults=faults,
            seen=seen,
            sections=_drawn(seen.sections if seen else ()),
            beside=_drawn(seen.beside if seen else ()),
            kept=list(_kept(request.POST)),
            **choices_in(request.POST, user=request.user, about=about),
        )


def _drawn(sections: Iterable[PreviewSection]) -> list[tuple[PreviewSection, list[tuple[str, str]]]]:
    """Each section with its difference to the code's."""
    return [(section, difference(section.default, section.text)) for section in sections]


def _kept(form: QueryDict) -> Iterator[tuple[str, str]]:
    """What of the form is carried along until it is saved."""
    for key in form:
        if key.startswith((FIELD, RESET_BOX)) or key in {"seen", "why", "name"}:
            yield from ((key, value) for value in form.getlist(key))

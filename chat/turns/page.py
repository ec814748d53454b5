"""A page for one user: its entries by permissions and rights, its context, and the model. Fixed for a whole turn."""
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from chat.catalogue import CODE, Catalogue, PageEntries
from chat.exceptions import Malformed, NotFound
from chat.page_config import ContextBlock, PageContext
from chat.provider.configured import local_model, model_named
from chat.services import TurnRequest
from chat.turns.request import view_state
from shared import strictjson
from shared.user_messages import declare

if TYPE_CHECKING:
    from chat.models import Turn

NO_SUCH_PAGE = declare("no_such_page", "Page not found.")
MODEL_NOT_CHOSEN_HERE = declare("model_not_chosen_here", "You cannot choose the model on this page.")
UNKNOWN_MODEL = declare("unknown_model", "There is no model “{model}”. Available: {names}.")
SWITCHED_OFF = declare("assistant_switched_off", "The assistant is turned off on this page.")
NO_CONTEXT = ContextBlock(text="", data={})


@dataclass(frozen=True)
class Page:
    """A page for one user under one version of the catalogue."""

    user: Any
    catalogue: Catalogue
    entries: PageEntries
    context: PageContext
    block: ContextBlock


@dataclass(frozen=True)
class Snapshot:
    """A stored turn on its page."""

    turn: Turn
    page: Page


def load_page(*, user: Any, request: TurnRequest, catalogue: Catalogue = CODE) -> Page:
    """Return the page with the entries that the user may use there.

    Raises the errors of the page's context builder for an object of another user.
    """
    config = catalogue.pages.get(request.page)
    if config is None:
        raise NotFound(SWITCHED_OFF())
    context = PageContext(
        user=user,
        page=request.page,
        object_id=request.object_id,
        view=view_state(request.context, config=config),
    )
    return build_page(
        context,
        tab=str(request.context.get("active_tab") or ""),
        subtab=str(request.context.get("active_subtab") or ""),
        catalogue=catalogue,
    )


def build_page(context: PageContext, *, tab: str = "", subtab: str = "", catalogue: Catalogue = CODE) -> Page:
    """Return the page of this context. Raises the errors of `resolve_page_entries` and the page's context builder."""
    page_entries = resolve_page_entries(context, tab=tab, subtab=subtab, catalogue=catalogue)
    build = page_entries.config.context_builder
    block = _with_name(build(context) if build else NO_CONTEXT, page=context.page)
    # With an empty cache, so that the object is read again later in the turn.
    context = replace(context, found={})
    return Page(user=context.user, catalogue=catalogue, entries=page_entries, context=context, block=block)


def build_example_page(context: PageContext, *, tab: str = "", subtab: str = "", catalogue: Catalogue = CODE) -> Page:
    """Return the page with its built-in example instead of a user's data. Raises as `resolve_page_entries`."""
    page_entries = resolve_page_entries(context, tab=tab, subtab=subtab, catalogue=catalogue)
    show = page_entries.config.example
    block = _with_name(show(context) if show else NO_CONTEXT, page=context.page)
    return Page(user=context.user, catalogue=catalogue, entries=page_entries, context=context, block=block)


def _with_name(block: ContextBlock, *, page: str) -> ContextBlock:
    """Return the context of a page as JSON with the page's name, unless it has another value of this name."""
    try:
        return replace(block, data=strictjson.as_json({"page": page, **block.data}))
    except (TypeError, ValueError) as problem:
        raise TypeError(f"The data of the context of the page '{page}' is not JSON: {problem}") from problem


def resolve_page_entries(
    context: PageContext, *, tab: str = "", subtab: str = "", catalogue: Catalogue = CODE
) -> PageEntries:
    """Return the entries that the user may use, by permissions and by rights to the page's object.

    Raises NotFound for an unknown page, and the errors of the page for an object of another user.
    """
    page_entries = catalogue.resolve(
        context.page, tab=tab, subtab=subtab, may=context.user.has_perm, writes=can_change_object(context)
    )
    if page_entries is None:
        raise NotFound(SWITCHED_OFF() if context.page in CODE.pages else NO_SUCH_PAGE())
    return page_entries


def model_for(page: Page, *, chosen: str = "") -> str:
    """Return the name of the model for this page: the chosen one, that of the page, or the default.

    Raises Malformed for a choice that is not possible there.
    """
    config, catalogue = page.entries.config, page.catalogue
    default = model_named(config.model or catalogue.engine.model).name
    if chosen and not (config.allow_model_choice and catalogue.models):
        raise Malformed(MODEL_NOT_CHOSEN_HERE(), code="model_not_allowed", path="model")
    if chosen and chosen not in catalogue.models:
        message = UNKNOWN_MODEL(model=chosen, names=tuple(catalogue.models))
        raise Malformed(message, code="unknown_model", path="model")
    return local_model() or chosen or default


def tab_of(page: Page, *, context: dict[str, Any]) -> str:
    """Return the open tab, "" if there is none that the page has."""
    tab = context.get("active_tab")
    return tab if isinstance(tab, str) and tab in page.entries.config.tabs else ""


def check_object_access(context: PageContext) -> None:
    """Raise the error of the page for an object of another user."""
    config = CODE.pages.get(context.page)
    # `may_write` has been called already, if there is one.
    if config is not None and config.may_write is None and config.context_builder is not None and context.object_id:
        config.context_builder(context)


def can_change_object(context: PageContext) -> bool:
    """Whether the user may change the page's object. Raises the error of the page for an object of another user."""
    config = CODE.pages.get(context.page)
    if config is None or config.may_write is None or (config.object_key and not context.object_id):
        return True
    return config.may_write(context)

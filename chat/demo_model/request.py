"""Reads a Messages API request: the user's message, the page, and the tools with their results."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any
from zlib import crc32

from chat.demo_model.english import normalize, singular, strip_courtesy
from chat.files import ADDED_FILE
from chat.instructions import ANNOUNCED
from chat.scripted_model.request import find_document, find_json, is_user_message, results_of, texts_of

Json = dict[str, Any]
UNDO = re.compile(r"(?:undo|revert)\b|take (?:it|that|this) back$", re.IGNORECASE)
_ACTION = re.compile(r"^- (\w+): .*May run\.$", re.MULTILINE)
_MARKER = re.compile(r"\b(SCHEMA_PROPOSAL|DATA_PROPOSAL|FILL_PROPOSAL): \{")
_WRITE_TOOLS = ("create_row", "update_row", "delete_row")


@dataclass(frozen=True)
class Column:
    """A column of the open table, or of a proposal; `definition` is all that the context says of it."""

    id: str
    name: str
    type: str = "text"
    required: bool = False
    options: tuple[str, ...] = ()
    definition: Json = field(default_factory=dict, compare=False, repr=False)

    def option(self, text: str) -> str | None:
        """Return the option of this name, ignoring case, plural and punctuation."""
        return next(iter(_matching_names(self.options, text)), None)


@dataclass(frozen=True)
class Page:
    """The page of a turn. Rows are `{"row_id", "data", "number"?}`, with the cells by column name.

    `selected_left_out` is the number of selected rows that are not in the prompt.
    """

    name: str
    today: date
    table_name: str = ""
    description: str = ""
    columns: tuple[Column, ...] = ()
    rows: int = 0
    shown_rows: int = 0
    samples: tuple[Json, ...] = ()
    selected: tuple[Json, ...] = ()
    selected_left_out: int = 0

    @property
    def has_rows(self) -> bool:
        """Return whether rows can be changed and counted on this page."""
        return self.name == "table_view"

    def of_type(self, *types: str) -> list[Column]:
        """Return the columns of these types."""
        return [column for column in self.columns if column.type in types]

    def find_column(self, text: str) -> Column | None:
        """Return the column of this name, ignoring case, plural and punctuation."""
        phrase = re.sub(r"^(?:the |my )?(?:(?:column|field) )?|(?: (?:column|field)s?)$", "", normalize(text)).strip()
        names = [column.name for column in self.columns]
        found = _matching_names(names, text) or _matching_names(names, phrase)
        return self.columns[names.index(found[0])] if found else None


def _matching_names(names: Sequence[str], text: str) -> list[str]:
    """Return the only name that a text means, in any spelling, else in singular or plural; [] without one."""
    exact = [name for name in names if normalize(name) == normalize(text)]
    found = exact or [name for name in names if _letters(name) == _letters(text) != ""]
    return found if len(found) == 1 else []


def _letters(text: str) -> str:
    """Return the letters and digits of a name, with its words in the singular: "E-mails" becomes "email"."""
    return "".join(singular(word) for word in re.findall(r"[^\W_]+", normalize(text)))


@dataclass(frozen=True)
class Turn:
    """The parts of a request that the answer depends on.

    `request` is `message` without polite phrases. `results` are the results of the turn's tools, by name, and
    `open_proposal` is the manifest entry of a pending proposal. `markers` and `actions` are the available proposals and
    client actions. `previous_actions` are the actions that the previous answer ran, apart from answers to requests to
    undo. `last_change_state` is the state of the change by that answer: "applied", "undone", or "" without a change.
    `files` are those of the message: `{"name", "media_type", "size"}`.
    """

    message: str
    request: str
    page: Page
    tools: frozenset[str] = frozenset()
    results: Mapping[str, Json] = field(default_factory=dict)
    seed: int = 0
    open_proposal: Json | None = None
    markers: frozenset[str] = frozenset()
    actions: frozenset[str] = frozenset()
    previous_actions: tuple[str, ...] = ()
    last_change_state: str = ""
    files: tuple[Json, ...] = ()


def read_turn(body: Json) -> Turn:
    """Return the turn of a request body."""
    messages = body["messages"]
    start = max((at for at, message in enumerate(messages) if is_user_message(message)), default=0)
    texts = texts_of(messages[start]) or [""]
    message = _intention(texts[-1]) or texts[-1]
    context = find_document(texts[:-1], name="page")
    system = "\n".join(texts_of({"content": body.get("system") or []}))
    tools_forbidden = (body.get("tool_choice") or {}).get("type") == "none"
    manifest = find_document(texts[:-1], name="payloads")
    payloads, facts = manifest.get("payloads") or [], manifest.get("since_your_last_answer") or []
    pending = [entry for entry in payloads if str(entry.get("status", "")).startswith("pending")]
    return Turn(
        message=message,
        request=strip_courtesy(message),
        page=read_page(context),
        tools=frozenset() if tools_forbidden else frozenset(tool["name"] for tool in body.get("tools") or []),
        results=results_of(messages[start + 1 :]),
        # The same request gives the same made-up values; another table or message gives others.
        seed=crc32(f"{message} {context.get('table')} {context.get('sample_rows')}".encode("utf-8", "replace")),
        open_proposal=pending[-1] if pending else None,
        markers=frozenset(_MARKER.findall(system)),
        actions=frozenset(_ACTION.findall(system.partition("CLIENT ACTIONS\n")[2].partition("\n\n")[0])),
        previous_actions=_previous_actions(messages[:start]),
        last_change_state=_last_change_state(messages[:start], payloads=payloads, facts=facts),
        files=tuple(find_json(text) or {} for text in texts[:-1] if text.startswith(ADDED_FILE)),
    )


def read_page(context: Json) -> Page:
    """Return the page of a context document."""
    table, view = context.get("table") or {}, context.get("view") or {}
    return Page(
        name=str(context.get("page", "")),
        today=date.fromisoformat(str(context.get("today") or "2026-01-01")[:10]),
        table_name=str(table.get("name", "")),
        description=str(table.get("description") or ""),
        columns=tuple(read_column(item) for item in table.get("columns") or []),
        rows=table.get("rows") or 0,
        shown_rows=view.get("matching_rows") or 0,
        samples=tuple(context.get("sample_rows") or ()),
        selected=tuple(context.get("selected_rows") or ()),
        selected_left_out=context.get("selected_rows_left_out") or 0,
    )


def read_column(item: Json) -> Column:
    """Return a column of the context, or one that a proposal adds."""
    options = tuple(map(str, item.get("options") or ()))
    names = {name: str(item.get(name, "")) for name in ("id", "name", "type")}
    return Column(**names, required=item.get("required") is True, options=options, definition=item)


def _last_change_state(messages: list[Json], *, payloads: list[Json], facts: list[str]) -> str:
    start = max((at for at, message in enumerate(messages) if is_user_message(message)), default=0)
    results = results_of(messages[start:])
    if any(name in results and not results[name]["is_error"] for name in _WRITE_TOOLS):
        undo_facts = [fact for fact in facts if fact.endswith(" by the user.")]
        return "undone" if undo_facts and undo_facts[-1].endswith(" was undone by the user.") else "applied"
    newest = f"{payloads[-1].get('summary')}: " if payloads else ""
    found = [fact.removeprefix(newest) for fact in facts if newest and fact.startswith(newest)]
    return next((state for state in ("applied", "undone") if found and found[-1].startswith(state)), "")


def _previous_actions(messages: list[Json]) -> tuple[str, ...]:
    for message in reversed(messages):
        texts = texts_of(message)
        if message["role"] == "user" and not (texts and UNDO.match(strip_courtesy(texts[-1]))):
            break
        actions = "".join(texts[-1:]).partition("SUGGESTED_ACTIONS: ")[2] if message["role"] == "assistant" else ""
        if isinstance(entries := find_json(actions), list):
            return tuple(str(entry.get("action")) for entry in entries if entry.get("run") is True)
    return ()


def _intention(message: str) -> str:
    """Return the next step that the application asks to continue with, "" for any other message."""
    before, _, after = message.partition(ANNOUNCED)
    is_next_step = before.startswith("[The user applied") and after.startswith('"')
    return str(json.JSONDecoder().raw_decode(after)[0]) if is_next_step else ""

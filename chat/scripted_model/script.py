"""Scripts: turns with what they match in the user's message, and the replies of their model calls."""
from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path as File
from typing import Any

from chat.catalogue import CODE, Catalogue
from chat.scripted_model.faults import Path, ScriptError
from chat.scripted_model.placeholders import RESULT, Values
from chat.scripted_model.reply import Reply
from chat.scripted_model.reply_form import ReplyForm, ReplyReader, names_of
from chat.scripted_model.request import Call, read_call
from chat.scripted_model.script_file import Lines, read_file

Json = dict[str, Any]
KEYS, TURN_KEYS = ("turns", "default"), ("match", "pattern", "replies")
MAX_FAULTS = 20
NO_MATCH = re.compile(r"(?!)")


@dataclass(frozen=True)
class Turn:
    """A turn of the script. Without `pattern` it is for messages that no other turn matches."""

    replies: tuple[ReplyForm, ...]
    pattern: re.Pattern[str] | None = None


@dataclass(frozen=True)
class Script:
    """The turns of a file, and the replies to all other messages."""

    name: str
    turns: tuple[Turn, ...]
    default: tuple[ReplyForm, ...] = ()


def load_script(file: File | str, *, catalogue: Catalogue | None = CODE) -> Script:
    """Return the script in a file. Raises ScriptError with all faults, each with its line and path.

    Names of tools and markers must exist in the catalogue; without one they are not checked.
    """
    file = File(file)
    data, lines = read_file(file)
    reader = ReplyReader(names=names_of(catalogue) if catalogue else None)
    given = reader.faults.mapping(data, path=(), keys=KEYS)
    turns = reader.faults.typed(given.get("turns", []), list, path=("turns",), default=[])
    script = Script(
        name=file.name,
        turns=tuple(_read_turn(entry, path=("turns", at), reader=reader) for at, entry in enumerate(turns)),
        default=reader.replies(given["default"], path=("default",)) if "default" in given else (),
    )
    if not (turns or script.default or reader.faults.found):
        reader.faults.add((), "must have turns")
    if found := reader.faults.found:
        shown = [f"  {_place(fault.path, lines)}{fault}" for fault in found[:MAX_FAULTS]]
        count = f"{len(found)} errors" if len(found) > 1 else "an error"
        raise ScriptError("\n".join([f"{file} has {count}:", *shown]))
    return script


def _place(path: Path, lines: Lines) -> str:
    while path and path not in lines:
        path = path[:-1]
    return f"line {lines[path]}, " if path in lines else ""


def _read_turn(value: Any, *, path: Path, reader: ReplyReader) -> Turn:
    given = reader.faults.mapping(value, path=path, keys=TURN_KEYS)
    pattern = _read_pattern(given, path=path, reader=reader)
    if "replies" not in given:
        reader.faults.add(path, "replies is required")
        return Turn(replies=())
    groups = tuple(pattern.groupindex) if pattern else ()
    return Turn(replies=reader.replies(given["replies"], path=(*path, "replies"), groups=groups), pattern=pattern)


def _read_pattern(given: Json, *, path: Path, reader: ReplyReader) -> re.Pattern[str] | None:
    """Return the pattern of a turn. A plain text is found anywhere in the message; both ignore case."""
    faults = reader.faults
    if "match" in given and "pattern" in given:
        faults.add((*path, "pattern"), "cannot be used together with match")
    if "match" in given:
        text = faults.typed(given["match"], str, path=(*path, "match"), default="")
        return re.compile(re.escape(text), re.IGNORECASE)
    if "pattern" not in given:
        return None
    try:
        pattern = re.compile(faults.typed(given["pattern"], str, path=(*path, "pattern"), default=""), re.IGNORECASE)
    except re.error as problem:
        faults.add((*path, "pattern"), f"is not a valid regular expression: {problem}")
        return NO_MATCH
    if RESULT in pattern.groupindex:
        faults.add((*path, "pattern"), f"cannot have a group named {RESULT!r}")
    return pattern


@dataclass
class _Progress:
    """The turn of the script that a turn of a conversation follows, and the number of its calls so far."""

    turn: Turn | None
    groups: dict[str, str]
    calls: int = 0


class ScriptPlayer:
    """Answers calls of the model from a script.

    A message gets the first unused turn that matches it, or else the last one that does; without a match the next
    unused turn that has nothing to match; and then the default. The replies of a turn answer its calls in order. An
    error at their end is repeated, because failed calls are.
    """

    def __init__(self, script: Script) -> None:
        self.script = script
        self._used: set[int] = set()
        self._running: dict[str, _Progress] = {}

    def take(self, body: Json) -> Reply | None:
        """Return the reply to a request, or None if the script has none. Raises ScriptError if a value is missing."""
        call = read_call(body)
        progress = self._running.get(call.turn)
        if progress is None:
            progress = self._running[call.turn] = self._choose(call)
        form = self._form(progress)
        progress.calls += 1
        values = Values(groups=progress.groups, result=call.result)
        try:
            return form.fill(values, schemas=call.schemas) if form else None
        except ScriptError as problem:
            raise ScriptError(f"{self.script.name}: {problem}") from None

    def _choose(self, call: Call) -> _Progress:
        turns = list(enumerate(self.script.turns))
        matching = [(at, found) for at, turn in turns if turn.pattern and (found := turn.pattern.search(call.message))]
        unused = [(at, found) for at, found in matching if at not in self._used]
        if matching:
            at, found = (unused or matching[-1:])[0]
            groups = {name: text or "" for name, text in found.groupdict().items()}
        else:
            without = [at for at, turn in turns if turn.pattern is None and at not in self._used]
            if not without:
                return _Progress(turn=None, groups={})
            at, groups = without[0], {}
        self._used.add(at)
        return _Progress(turn=self.script.turns[at], groups=groups)

    def _form(self, progress: _Progress) -> ReplyForm | None:
        own, default = progress.turn.replies if progress.turn else (), self.script.default
        if progress.calls < len(own):
            return own[progress.calls]
        if own and own[-1].error:
            return own[-1]
        return default[min(progress.calls - len(own), len(default) - 1)] if default else None


class ScriptFile:
    """Answers requests from a file, which is read again when it has changed. Errors are answered as text."""

    def __init__(self, file: File | str, *, catalogue: Catalogue | None = CODE) -> None:
        self._file = File(file)
        self._catalogue = catalogue
        self._player: ScriptPlayer | None = None
        self._read_at = 0

    def answer(self, body: Json) -> Reply:
        """Return the reply to a request."""
        try:
            reply = self._current().take(body)
        except ScriptError as problem:
            return Reply.say(f"```\n{problem}\n```")
        return reply or Reply.say(f"{self._file.name} has no reply to this message.")

    def _current(self) -> ScriptPlayer:
        changed_at = self._file.stat().st_mtime_ns if self._file.exists() else 0
        if self._player is None or changed_at != self._read_at:
            self._player = ScriptPlayer(load_script(self._file, catalogue=self._catalogue))
            self._read_at = changed_at
        return self._player

"""Messages, their templates, and the formatter that renders them in English."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Union

Param = Union[str, int, float, None, "Message", Sequence["Param"]]
CODE = re.compile(r"[a-z][a-z0-9_]*")
PLACEHOLDER = re.compile(r"\{([a-z_]+)(?::(,|[a-z]+))?\}")
STYLES = {"", ",", "quoted", "moment", "sentence", "spaced"}
# The msgctxt of the texts in locale/*.po.
MESSAGE_CONTEXT = "message"
# The placeholder of a closing sentence that many messages lack; it is not stored or sent then.
OPTIONAL = "hint"
CONSTANTS = {None: "null", True: "true", False: "false"}
# Larger numbers are not localized.
MAX_LOCALIZED = 1e15


@dataclass(frozen=True)
class Message:
    """A code with parameters, rendered in the language of each reader. `str(message)` is the English text."""

    code: str
    params: Mapping[str, Param] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        return ENGLISH.text(self)

    def as_json(self) -> dict[str, Any]:
        """Return `{"code", "params"}`, the form in which messages are stored and sent."""
        return {"code": self.code, "params": {name: _as_json(value) for name, value in self.params.items()}}

    @classmethod
    def from_json(cls, stored: Any, *, text: str = "") -> Message:
        """Return the message of a stored `as_json`.

        `text` is the English text that was stored with it. It is used literally if no message was stored, or if its
        template has been removed or has other placeholders now.
        """
        if isinstance(stored, Mapping) and isinstance(stored.get("params"), Mapping):
            with suppress(UnknownMessage):
                return _read(stored)
        return literal(text)


@dataclass(frozen=True)
class Template:
    """The English text of a message. `plural` is used unless the parameter named by `count` is 1.

    `for_pages` is a template with the same parameters that pages use instead.
    """

    code: str
    text: str
    plural: str = ""
    count: str = ""
    for_pages: Template | None = None
    is_translated: bool = True
    names: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        if not CODE.fullmatch(self.code) or self.code in TEMPLATES:
            raise ValueError(f"The code of a message must be unique and in snake_case: {self.code!r}.")
        found = [each for text in (self.text, self.plural) for each in PLACEHOLDER.findall(text)]
        if wrong := {style for _, style in found} - STYLES:
            raise ValueError(f"{self.code}: unknown placeholder style: {', '.join(wrong)}.")
        names = {name for name, _ in found} | ({self.count} if self.count else set())
        if self.for_pages is not None and not self.for_pages.names <= names:
            raise ValueError(f"{self.code}: the text for people has different placeholders.")
        object.__setattr__(self, "names", frozenset(names))
        TEMPLATES[self.code] = self

    def __call__(self, **params: Param) -> Message:
        """Return a message with these parameters. Raises TypeError unless they are exactly those of the template.

        An empty hint is left out.
        """
        if not self.takes(params.keys()):
            raise TypeError(f"The message {self.code} takes {sorted(self.names)}, not {sorted(params)}.")
        if OPTIONAL in params and _is_empty(params[OPTIONAL]):
            del params[OPTIONAL]
        for name, value in params.items():
            if isinstance(value, list):
                params[name] = tuple(value)
        return Message(self.code, params)

    def accepts(self, params: Mapping[str, Any]) -> bool:
        """Return whether a stored message with these parameters can be rendered."""
        number = params.get(self.count, 0)
        return self.takes(params.keys()) and isinstance(number, int | float)

    def takes(self, names: Set[str]) -> bool:
        """Return whether these are the parameters of the template; a hint can be missing."""
        return names <= self.names and self.names - names <= {OPTIONAL}


TEMPLATES: dict[str, Template] = {}


class Formatter:
    """Renders messages in English. Subclasses override what differs in other languages."""

    def text(self, message: Message) -> str:
        """Return the text of a message, or its code if it has no template."""
        template = TEMPLATES.get(message.code)
        if template is None:
            return self.literal(message.code)
        params = message.params
        texts = [
            piece if isinstance(piece, str) else self.value(params.get(piece[0], ""), style=piece[1])
            for piece in _pieces_of(self.pattern(template, params))
        ]
        return "".join(texts)

    def pattern(self, template: Template, params: Mapping[str, Any]) -> str:
        """Return the text of the template with its placeholders."""
        return template.plural if template.plural and params[template.count] != 1 else template.text

    def value(self, value: Any, *, style: str) -> str:
        """Return one parameter as text."""
        if isinstance(value, Message):
            return self.text(value)
        if isinstance(value, str):
            if style == "moment":
                return self.moment(value)
            return self.quoted(value) if style == "quoted" else self.literal(value)
        if value is None or isinstance(value, bool):
            return CONSTANTS[value]
        if isinstance(value, int | float):
            return self.number(value, grouped=style == ",")
        joined = (" " if style == "spaced" else ", ").join(self.value(each, style=style) for each in value)
        return joined[:1].upper() + joined[1:] if style == "sentence" else joined

    def literal(self, text: str) -> str:
        """Return a text that is the same in every language, like a name."""
        return text

    def quoted(self, text: str) -> str:
        """Return a text in quotation marks."""
        return self.pattern(QUOTED, {}).replace("{text}", self.literal(text))

    def number(self, value: int | float, *, grouped: bool) -> str:
        """Return a number in the format of the language."""
        if isinstance(value, float) and value.is_integer() and abs(value) < MAX_LOCALIZED:
            value = int(value)
        return f"{value:,}" if grouped else str(value)

    def moment(self, iso: str) -> str:
        """Return a date and time; `iso` is in ISO 8601 format with an offset."""
        return f"{datetime.fromisoformat(iso).astimezone(UTC):%Y-%m-%d %H:%M} UTC"


ENGLISH = Formatter()


def declare(code: str, text: str, *, for_pages: Template | None = None) -> Template:
    """Declare a message. `code` and `text` are literals: `manage.py messages` reads the text in the source."""
    return Template(code, text, for_pages=for_pages)


def declare_plural(code: str, singular: str, plural: str, *, count: str = "count") -> Template:
    """Declare a message that uses `singular` if the parameter named by `count` is 1."""
    return Template(code, singular, plural=plural, count=count)


QUOTED = declare("quoted", "“{text}”")
LITERAL = Template("literal", "{text}", is_translated=False)
SENTENCE = Template("sentence", "{clauses:sentence}", is_translated=False)


def literal(text: str) -> Message:
    """Return a message with the same text in every language."""
    return LITERAL(text=text)


def is_literal(message: Message) -> bool:
    """Return whether the message is a literal text."""
    return message.code == LITERAL.code


def _is_empty(value: Param) -> bool:
    return value == "" or (isinstance(value, Message) and is_literal(value) and value.params["text"] == "")


def as_message(text: Message | str) -> Message:
    """Return the message, or a text as a literal message."""
    return text if isinstance(text, Message) else literal(text)


def sentence(clauses: Sequence[Message]) -> Message:
    """Return the clauses as one message: `Added 2 rows, renamed the table`."""
    return SENTENCE(clauses=tuple(clauses))


def message_fields(message: Message) -> dict[str, Any]:
    """Return the fields of a message in a JSON object: `{"detail", "message_code", "params"}`.

    A literal text has only `detail`.
    """
    if is_literal(message):
        return {"detail": str(message)}
    form = message.as_json()
    return {"detail": str(message), "message_code": form["code"], "params": form["params"]}


@lru_cache(maxsize=4_096)
def _pieces_of(pattern: str) -> tuple[str | tuple[str, str], ...]:
    """Split a template into texts and placeholders, each placeholder as (name, style)."""
    parts = PLACEHOLDER.split(pattern)
    pieces: list[str | tuple[str, str]] = [parts[0]]
    for name, style, text in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        pieces += [(name, style or ""), text]
    return tuple(piece for piece in pieces if piece)


def _as_json(value: Param) -> Any:
    if isinstance(value, Message):
        return value.as_json()
    return [_as_json(each) for each in value] if isinstance(value, list | tuple) else value


class UnknownMessage(Exception):
    """The template of a stored message has been removed, or has other placeholders now."""


def _read(stored: Mapping[str, Any]) -> Message:
    """Return a stored message, nested messages included. Raises UnknownMessage."""
    template = TEMPLATES.get(str(stored.get("code")))
    if template is None or not isinstance(stored.get("params"), Mapping):
        raise UnknownMessage
    params = {name: _from_json(value) for name, value in stored["params"].items()}
    if not template.accepts(params):
        raise UnknownMessage
    return Message(template.code, params)


def _from_json(value: Any) -> Param:
    if isinstance(value, Mapping):
        return _read(value)
    return tuple(_from_json(each) for each in value) if isinstance(value, list) else value

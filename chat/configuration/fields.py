"""The kinds of things that can be configured, and the fields of each."""
from __future__ import annotations

from dataclasses import dataclass

from chat.engine import CAPS

# The field that marks an entry which an administrator added.
ADDED = "added"
MOST_TEXT = 40_000
MOST_LINE = 500
MOST_NAMES = 100


@dataclass(frozen=True)
class Field:
    """One field that can be overridden.

    `form` says what its value is: text, line and model (a string), flag (true or false), whole (a whole number between
    `least` and `most`), names (a list of names in the registry `of`), lines (a list of strings), schema (a JSON Schema,
    an object). For strings `most` counts characters, for lists entries. `only_added`: entries of the code keep theirs.
    """

    name: str
    label: str
    form: str
    hint: str = ""
    of: str = ""
    least: int = 0
    most: int = 0
    only_added: bool = False
    required: bool = False


@dataclass(frozen=True)
class Kind:
    """One kind of entry. `addable`: administrators can make new ones without code."""

    name: str
    label: str
    fields: tuple[Field, ...]
    addable: bool = False

    def field(self, name: str) -> Field | None:
        """The field of that name."""
        return next((field for field in self.fields if field.name == name), None)


def _text(name: str, label: str, *, hint: str = "", required: bool = False) -> Field:
    return Field(name, label, "text", hint=hint, most=MOST_TEXT, required=required)


def _line(name: str, label: str, *, hint: str = "", required: bool = False, only_added: bool = False) -> Field:
    return Field(name, label, "line", hint=hint, most=MOST_LINE, required=required, only_added=only_added)


def _model(name: str, label: str, *, hint: str = "", required: bool = False) -> Field:
    return Field(name, label, "model", hint=hint, most=MOST_LINE, required=required)


def _names(name: str, label: str, *, of: str) -> Field:
    return Field(name, label, "names", of=of, most=MOST_NAMES)


ENABLED = Field("enabled", "Switched on", "flag", hint="Off: nobody meets it, on no page.")
ORDER = Field("order", "Place in lists", "whole", hint="Small numbers come first.", least=0, most=10_000)
EVERYWHERE = Field("is_global", "On every page", "flag", only_added=True)
REACH = (
    _names("tools", "Tools", of="tools"),
    _names("payloads", "Payload types", of="payload_types"),
    _names("server_actions", "Server actions", of="server_actions"),
)
LIMITS = {
    "max_tokens": ("Longest answer, in tokens", ""),
    "max_iterations": ("Model calls a turn", "How often the assistant may use tools and go on."),
    "max_tool_calls": ("Tool calls a turn", ""),
    "call_seconds": ("Longest model call, in seconds", ""),
    "first_token_seconds": (
        "Longest wait for a local model's first word, in seconds",
        "It may have to be loaded first. Within the longest turn.",
    ),
    "turn_seconds": ("Longest turn, in seconds", ""),
    "retries": ("Tries again a model call", "Only before its first word."),
    "retry_seconds": ("Longest wait for those tries together, in seconds", ""),
    "context_tokens": ("Room for the conversation, in tokens", ""),
    "tokens_a_day": ("Tokens a person and day", ""),
    "turns_a_minute": ("Turns a person and minute", ""),
    "streams_a_user": ("Open answers a person", ""),
}

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "texts",
            "On every page",
            (
                _text("preamble", "Preamble", hint="Who the assistant is, how the work goes, style.", required=True),
                _text("format_rules", "Format rules", hint="Suggestions: when, and in which form.", required=True),
                _text("default_identity", "Page persona where a page has none", required=True),
                _text("structured_responses", "Introduction to structured responses", required=True),
            ),
        ),
        Kind(
            "engine",
            "Model and limits",
            (
                _model("model", "Model", hint="Several to choose from are set in CHAT_MODELS.", required=True),
                *(
                    Field(name, label, "whole", hint=hint, least=CAPS[name][0], most=CAPS[name][1])
                    for name, (label, hint) in LIMITS.items()
                ),
            ),
        ),
        Kind(
            "page",
            "Pages",
            (
                Field("enabled", "Switched on", "flag", hint="Off: there is no assistant on this page."),
                _text("identity", "Persona and workflow"),
                *REACH,
                _names("client_actions", "Client actions", of="client_actions"),
                Field("starters", "Starter prompts", "lines", hint="One a line.", most=12),
                _model("model", "Model", hint="Empty: the same as on every page."),
                Field(
                    "people_choose_model",
                    "People may choose another model",
                    "flag",
                    hint="A menu in the chat, where several are set in CHAT_MODELS.",
                ),
            ),
        ),
        Kind("tab", "Tabs", (_text("instructions", "Instructions"), *REACH)),
        Kind("subtab", "Subtabs", (_text("instructions", "Instructions"), *REACH)),
        Kind(
            "payload_type",
            "Payload types",
            (
                ENABLED,
                _line("description", "Description", required=True),
                _line("parse_marker", "Marker", hint="Such as CHART_SPEC:", required=True, only_added=True),
                Field("schema", "JSON Schema", "schema", most=MOST_TEXT, only_added=True, required=True),
                _text("llm_instructions", "Instructions"),
                _line("title", "Title of its panel"),
                _line("icon", "Icon of its panel"),
                Field("panel_width", "Width of its panel", "whole", least=200, most=1_600),
                EVERYWHERE,
                ORDER,
            ),
            addable=True,
        ),
        Kind(
            "tool",
            "Tools",
            (
                ENABLED,
                _text("description", "Description for the model", required=True),
                _line("label", "What the person reads while it runs"),
                ORDER,
            ),
        ),
        Kind(
            "client_action",
            "Client actions",
            (
                ENABLED,
                _text(
                    "description",
                    "Description for the model",
                    hint="Its button shows where a script of the page has a function of this name.",
                    required=True,
                ),
                Field("parameters", "Parameters", "lines", hint="One name a line.", most=20),
                EVERYWHERE,
                ORDER,
            ),
            addable=True,
        ),
        Kind(
            "server_action",
            "Server actions",
            (ENABLED, _text("description", "Description for the model", required=True), ORDER),
        ),
        Kind(
            "help_topic",
            "Help topics",
            (
                ENABLED,
                _line("title", "Title", required=True),
                _line("summary", "Summary, one line", required=True),
                _text("body", "Text, in Markdown", required=True),
                ORDER,
            ),
            addable=True,
        ),
        Kind("help_narrative", "Help introductions", (ENABLED, _text("text", "Text", required=True), ORDER)),
    )
}

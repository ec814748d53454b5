"""The kinds of configurable entries, and the fields of each."""
from __future__ import annotations

from dataclasses import dataclass, replace

from chat.catalogue import CAPS

# The field that marks an entry which an administrator added.
ADDED = "added"
MAX_TEXT = 40_000
MAX_LINE = 500
MAX_NAMES = 100


@dataclass(frozen=True)
class Field:
    """One field that can be overridden.

    `form` is the type of its value: text, line and model (a string), flag (true or false), whole (an integer between
    `minimum` and `maximum`), names (a list of names in the registry `of`), lines (a list of strings), schema (a JSON
    Schema, an object). `maximum` is the length of strings and lists. `only_added`: only entries that administrators
    added have the field. An override of a text that is `never_blank` has content; the default may be empty.
    """

    name: str
    label: str
    form: str
    hint: str = ""
    of: str = ""
    minimum: int = 0
    maximum: int = 0
    only_added: bool = False
    required: bool = False
    never_blank: bool = False


@dataclass(frozen=True)
class Kind:
    """One kind of entry. `addable`: administrators can create new entries without code."""

    name: str
    label: str
    fields: tuple[Field, ...]
    addable: bool = False

    @property
    def singular(self) -> str:
        """The name of one entry of this kind: "payload type"."""
        return self.name.replace("_", " ")

    def field(self, name: str) -> Field | None:
        """The field of that name."""
        return next((field for field in self.fields if field.name == name), None)


def _text(name: str, label: str, *, hint: str = "", required: bool = False) -> Field:
    return Field(name, label, "text", hint=hint, maximum=MAX_TEXT, required=required)


def _line(name: str, label: str, *, hint: str = "", required: bool = False, only_added: bool = False) -> Field:
    return Field(name, label, "line", hint=hint, maximum=MAX_LINE, required=required, only_added=only_added)


def _model(name: str, label: str, *, hint: str = "", required: bool = False) -> Field:
    return Field(name, label, "model", hint=hint, maximum=MAX_LINE, required=required)


def _names(name: str, label: str, *, of: str) -> Field:
    return Field(name, label, "names", of=of, maximum=MAX_NAMES)


ENABLED = Field("enabled", "Enabled", "flag", hint="When off, it is unavailable on all pages.")
ORDER = Field("order", "Sort order", "whole", hint="Lower numbers are listed first.", minimum=0, maximum=10_000)
EVERYWHERE = Field("is_global", "On all pages", "flag", only_added=True)
ENTRY_NAMES = (
    _names("tools", "Tools", of="tools"),
    _names("payloads", "Payload types", of="payload_types"),
    _names("server_actions", "Server actions", of="server_actions"),
)
LIMITS = {
    "max_tokens": ("Answer limit (tokens)", ""),
    "max_iterations": ("Model calls per turn", "The assistant can use tools between two calls."),
    "max_tool_calls": ("Tool calls per turn", ""),
    "call_seconds": ("Model call timeout (seconds)", ""),
    "first_token_seconds": (
        "First token timeout of local models (seconds)",
        "Includes the time to load the model. The turn timeout applies as well.",
    ),
    "turn_seconds": ("Turn timeout (seconds)", ""),
    "retries": ("Retries per model call", "Only before the first token."),
    "retry_seconds": ("Total retry wait (seconds)", "For all retries of a model call together."),
    "context_tokens": ("Context limit (tokens)", "Older messages are left out of longer conversations."),
    "tokens_a_day": ("Tokens per user per day", ""),
    "turns_a_minute": ("Turns per user per minute", ""),
    "streams_a_user": ("Simultaneous answers per user", ""),
}

TAB_FIELDS = (
    Field("enabled", "Enabled", "flag", hint="When off, the assistant ignores that it is open."),
    _text("instructions", "Instructions"),
    *ENTRY_NAMES,
    Field("starters", "Starter prompts", "lines", hint="One per line. Empty: those of the page.", maximum=12),
)

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "texts",
            "Texts for all pages",
            (
                _text("preamble", "Preamble", hint="Role, workflow and style of the assistant.", required=True),
                _text("format_rules", "Format rules", hint="Rules for suggested answers and actions.", required=True),
                _text("default_identity", "Default page persona", hint="For pages without a persona.", required=True),
                _text("structured_responses", "Introduction to structured responses", required=True),
                _text("proposals", "Rules for proposals", hint="For pages with proposals.", required=True),
            ),
        ),
        Kind(
            "engine",
            "Model and limits",
            (
                _model("model", "Model", hint="One of CHAT_MODELS, if that is set.", required=True),
                *(
                    Field(name, label, "whole", hint=hint, minimum=CAPS[name][0], maximum=CAPS[name][1])
                    for name, (label, hint) in LIMITS.items()
                ),
            ),
        ),
        Kind(
            "page",
            "Pages",
            (
                Field("enabled", "Enabled", "flag", hint="When off, this page has no assistant."),
                _text("introduction", "Introduction to the application", hint="Pages of one application share it."),
                replace(_text("identity", "Persona and workflow"), never_blank=True),
                *ENTRY_NAMES,
                _names("client_actions", "Client actions", of="client_actions"),
                Field("starters", "Starter prompts", "lines", hint="One per line.", maximum=12),
                _model("model", "Model", hint="Empty: the default model."),
                Field(
                    "allow_model_choice",
                    "Users can choose another model",
                    "flag",
                    hint="Shows a menu in the chat if CHAT_MODELS lists several models.",
                ),
            ),
        ),
        Kind("tab", "Tabs", TAB_FIELDS, addable=True),
        Kind("subtab", "Subtabs", TAB_FIELDS, addable=True),
        Kind(
            "payload_type",
            "Payload types",
            (
                ENABLED,
                _line("description", "Description", required=True),
                _line("parse_marker", "Marker", hint="For example, CHART_SPEC:", required=True, only_added=True),
                Field("schema", "JSON Schema", "schema", maximum=MAX_TEXT, only_added=True, required=True),
                _text("llm_instructions", "Instructions"),
                _line("title", "Panel title"),
                _line("icon", "Panel icon"),
                Field("panel_width", "Panel width (pixels)", "whole", minimum=200, maximum=1_600),
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
                _line("label", "Name for users", hint="Empty: the technical name."),
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
                    hint="The button is shown on pages whose scripts have a function of this name.",
                    required=True,
                ),
                Field("parameters", "Parameters", "lines", hint="One name per line, such as paper_id.", maximum=20),
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
                _line("summary", "Summary", hint="One line.", required=True),
                _text("body", "Text", hint="Markdown.", required=True),
                replace(EVERYWHERE, hint="When off, only on pages with topics of this category."),
                ORDER,
            ),
            addable=True,
        ),
        Kind("help_narrative", "Help introductions", (ENABLED, _text("text", "Text", required=True), ORDER)),
    )
}

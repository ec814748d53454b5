"""The answer to a request: the intents in order, answers about the assistant and the page, and suggestions."""

import gettext
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

from chat.agent.call import FROM_APPLICATION
from chat.demo_model import columns, creation, declared, questions, revising, row_changes, view
from chat.demo_model.creation import NEXT
from chat.demo_model.english import display, find_distant_date, join_and, match, normalize, quantity, strip_courtesy
from chat.demo_model.questions import tool_result
from chat.demo_model.reply import Reply, ToolNeeded, Unclear, say, with_suggestions
from chat.demo_model.request import Column, Page, Turn
from chat.page_config import layers_of, pages

# Longer messages are only understood if they are pasted lists.
MAX_REQUEST_LENGTH = 300
_REPLACES_PROPOSAL = "This proposal replaces the open one."
DEMO_NOTICE = (
    "I am the built-in demo, not a language model. For everything else, [connect Claude]"
    "(https://console.anthropic.com/settings/keys) or [a local model](https://docs.ollama.com)."
)
SETUP_HINT = "Set `ANTHROPIC_API_KEY` or `ANTHROPIC_BASE_URL` before the application starts."
_HELP = (
    r"(?:hi|hello|hey|good (?:morning|afternoon|evening|day))(?: there)?|help(?: me)?|(?:who|what) are you"
    r"|what (?:can|could) (?:you|i) do(?: here| for me)?|how does this work|what is this(?: page)?"
    r"|explain (?:this|the) page|are you (?:an? )?(?:ai|bot|human|claude|language model|real)"
)
_TABLES = r"(?:what|which|how many|show(?: me)?|list)(?: all)?(?: my)? tables(?: do i have| are there| have i got)?"
_COLUMNS = (
    r"(?:explain|describe|summari[sz]e|what is in|what's in|tell me about)(?: this| the| my)? table"
    r"|(?:which|what|list)(?: the)? (?:columns|fields)(?: are there| does (?:this|the) table have| do i have)?"
)
_SELECTS = r"(?:which|what)(?: text)? columns (?:could|can|should) be(?:come)? (?:select|dropdown)(?: columns)?s?"
WELCOME = "You are welcome."
_FIXED_ANSWERS = (
    (NEXT, "The table is ready. What would you like to do next?"),
    (r"(?:thanks|thank you|thx|great|perfect|cool|nice)(?: very much| a lot| so much)?(?:[,!]? thanks)?", WELCOME),
    (r"(?:what is|what's|explain|what are|how do(?:es)?)(?: an?)? proposals?(?: work)?",
     "A proposal shows each change in the table. Nothing changes until you apply it, and you can undo it afterwards."),
    (r"how (?:do|can) (?:i|you) (?:undo|revert)(?: .{0,40})?|can (?:i|you) undo(?: .{0,40})?",
     "You can undo every applied change in the chat or in the history. Ctrl+Z undoes your last change."),
)  # fmt: skip
_ABILITIES = {
    "tables_list": "Here I propose new tables: describe what you want to track, or paste a list.",
    "table_view": "Here I add, update, delete, count, sum, sort and filter rows, find duplicates, and change columns.",
    "table_edit": "Here I add, rename, move and remove columns, and change their types and options.",
}
LOCALE = Path(__file__).parents[2] / "locale"
# Starters of the pages, and those of the list of tables if it is empty.
STARTERS = (
    "Track my job applications with company, position, status and date applied",
    "A table for household expenses with amount, category and whether it was paid back",
    "What tables do I have?",
    "Add 8 sample rows",
    "How many rows are there?",
    "What can you do here?",
    "Add a Priority column with High, Medium and Low",
    "Which columns could be select columns?",
    "Track my job applications with company, role, status and follow-up date",
    "Log my expenses with date, amount, category and whether they were paid back",
    "Collect customer feedback: who said it, theme, severity and status",
    "Keep a reading list with title, author, status, rating and finish date",
)


def knows_page(page: str) -> bool:
    """Return whether the intents of this module apply on the page; on others only what is declared does."""
    return page in _ABILITIES


def answer_files(turn: Turn) -> Reply | None:
    """Name the files of a message, which the demo model cannot read."""
    if not turn.files:
        return None
    named = [f"{display(file['name'])} ({file['media_type']}, {file['size']:,} bytes)" for file in turn.files]
    return say(f"You have added {join_and(named)}. {DEMO_NOTICE}")


def answer_talk(turn: Turn) -> Reply | None:
    """Answer greetings, and questions about the assistant, the page, the whole table and all tables."""
    page, request = turn.page, turn.request
    if match(_HELP, request):
        if not knows_page(page.name):
            return say(f"{DEMO_NOTICE} {declared.describe_sentences(turn)}")
        return say(f"{DEMO_NOTICE} {_ABILITIES[page.name]} Nothing changes until you apply it.")
    if not knows_page(page.name):
        return None
    if text := next((text for pattern, text in _FIXED_ANSWERS if match(pattern, request)), ""):
        return say(text)
    if match(_TABLES, request) and "list_tables" in turn.tools:
        return _list_tables(turn)
    if page.columns and match(_SELECTS, request):
        return _find_select_columns(turn)
    return say(_describe_table(page)) if page.columns and match(_COLUMNS, request) else None


def _list_tables(turn: Turn) -> Reply:
    result = tool_result(turn, tool="list_tables", params={})
    tables, total = result.get("tables") or [], result.get("tables_total", 0)
    lines = [f"- [{display(one['name'])}](table:{one['id']}): {quantity(one['rows'])}" for one in tables[:20]]
    lines += [f"- and {quantity(total - len(lines), 'table')} more"] if total > len(lines) else []
    return say(f"You have {quantity(total, 'table')}.\n\n" + "\n".join(lines))


def _describe_table(page: Page) -> str:
    lines = []
    for column in page.columns:
        options = f" ({', '.join(display(option) for option in column.options[:12])})" if column.options else ""
        lines.append(f"- {display(column.name)}: {column.type}{options}{', required' if column.required else ''}")
    description = f" {display(page.description, limit=300)}" if page.description else ""
    size = f"{quantity(page.rows)} and {quantity(len(lines), 'column')}"
    return f"{display(page.table_name)} has {size}.{description}\n\n" + "\n".join(lines)


def _find_select_columns(turn: Turn) -> Reply:
    """Answer which text columns have few different values."""
    rows = tool_result(turn, tool="get_rows", params={"limit": 200}).get("rows") or []
    found = []
    for column in turn.page.of_type("text"):
        cells = [normalize(str(row["data"][column.name])) for row in rows if row["data"].get(column.name)]
        if cells and len(set(cells)) <= 10 and 2 * len(set(cells)) <= len(cells):
            found.append(column)
    suggestions = [f"Make {column.name} a select column" for column in found if is_plain_name(column)]
    names = join_and([display(column.name) for column in found]) or "none"
    return say(f"Text columns with few different values in the first 200 rows: {names}.", *suggestions)


def suggestions_for(turn: Turn) -> list[str]:
    """Return three sentences that work on the page, other than the user's message."""
    message = turn.message.strip().casefold()
    suggestions = _suggestions(turn.page) if knows_page(turn.page.name) else declared.suggested_sentences(turn)
    return [suggestion for suggestion in suggestions if suggestion.casefold() != message][:3]


def _suggestions(page: Page) -> list[str]:
    if page.name == "tables_list":
        first = "Track my job applications with company, status and date applied"
        return [first, "A table for my books", "What tables do I have?", "Help"]
    group, number, person, files = (
        next((column for column in page.of_type(*names) if is_plain_name(column)), None)
        for names in (("select", "boolean"), ("number",), ("person",), ("attachment",))
    )
    name = next((name for name in ("Priority", "Urgency", "Importance") if not page.find_column(name)), "Next priority")
    adding, help_ = f"Add a {name} column with High, Medium, Low", ["What columns are there?", "Help"]
    if not page.has_rows:
        last = next((column for column in reversed(page.columns) if is_plain_name(column)), None)
        return [adding, *([f"Make {last.name} required"] if last else []), *help_]
    counts = [f"How many in each {group.name}?"] if group else []
    average = [f"Average {number.name}"] if number else []
    mine = [f"Show rows where {person.name} is me"] if person else []
    missing = [f"How many have no {files.name}?"] if files else []
    read = ([*mine, *average, *missing, *counts] if mine or missing else [*counts, *average]) if page.rows else []
    return [*read, "Add 5 sample rows", adding, "How many rows are there?", *help_]


def is_plain_name(column: Column) -> bool:
    """Return whether the name of a column can be used in a suggestion."""
    return 0 < len(column.name) <= 40 and all(letter.isalnum() or letter == " " for letter in column.name)


def in_english(message: str) -> str | None:
    """Return the English original of a translated starter, or None. Other messages are only understood in English."""
    return _originals(pages.revision).get(normalize(message))


@cache
def _originals(revision: int) -> dict[str, str]:
    """Return the originals of all translated starters; `revision` is that of the registered pages."""
    layers = (layer for page in pages for layer in layers_of(page))
    starters = dict.fromkeys([*STARTERS, *(str(starter) for layer in layers for starter in layer.starters)])
    found: dict[str, str] = {}
    for catalogue in sorted(LOCALE.glob("*/LC_MESSAGES/django.mo")):
        with catalogue.open("rb") as file:
            translation = gettext.GNUTranslations(file)
        for starter in starters:
            for translated in (translation.gettext(starter), translation.pgettext("assistant", starter)):
                if translated != starter:
                    found[normalize(translated)] = starter
    return found


INTENTS: tuple[Callable[[Turn], Reply | None], ...] = (
    answer_files, answer_talk, revising.revise, view.act_on_view, row_changes.handle_duplicates, columns.change_columns,
    questions.answer_question, creation.create_table, creation.add_rows, row_changes.change_rows, view.show_rows,
    declared.use_example,
)  # fmt: skip
INTENTS_OF_OTHER_PAGES: tuple[Callable[[Turn], Reply | None], ...] = (answer_files, declared.use_example, answer_talk)


def answer(turn: Turn) -> Reply:
    """Return the reply to a turn."""
    message = turn.message.strip()
    if message.startswith(FROM_APPLICATION):
        # It cannot correct or continue its own answers.
        return Reply(text="")
    if original := in_english(message):
        turn = replace(turn, message=original, request=strip_courtesy(original))
    is_own_page = knows_page(turn.page.name)
    intents = INTENTS if is_own_page else INTENTS_OF_OTHER_PAGES
    if len(message) > MAX_REQUEST_LENGTH or "\n" in message:
        intents = (creation.create_pasted, creation.add_pasted) if is_own_page else ()
    try:
        replies = (reply for intent in intents if (reply := intent(turn)))
        hint = SETUP_HINT if is_own_page else declared.describe_sentences(turn)
        reply = next(replies, say(f"{DEMO_NOTICE} {hint}"))
    except ToolNeeded as needed:
        return needed.reply
    except Unclear as unclear:
        reply = say(str(unclear))
    marker = reply.element.partition(": ")[0]
    if marker.endswith("_PROPOSAL") and marker not in turn.markers:
        reply = say("I cannot propose that here: the page or your role does not allow it.")
    elif marker.endswith("_PROPOSAL") and turn.open_proposal:
        reply = replace(reply, text=f"{reply.text} {_REPLACES_PROPOSAL}")
    distant = find_distant_date(turn.request, today=turn.page.today)
    if distant and any(day.isoformat() in reply.text + reply.element for day in distant[1]):
        phrase, (first, _) = distant
        reply = replace(reply, text=f"{reply.text}\n\nI read “{phrase}” as {phrase} {first.year}.")
    return reply if reply.element or reply.text == WELCOME else with_suggestions(reply, suggestions_for(turn))

"""Greetings, help and offered sentences; descriptions of the table, of its columns and of all tables."""

from chat.demo_model.intents.new_tables import NEXT
from chat.demo_model.intents.questions import asked
from chat.demo_model.page import Column, Page
from chat.demo_model.reply import Reply, say
from chat.demo_model.request import Turn
from chat.demo_model.text import and_list, counted, key, match, shown

HONEST = (
    "I am the built-in demo: a few rules, not a language model. [Connect Claude]"
    "(https://console.anthropic.com/settings/keys) or [a local model](https://docs.ollama.com) for everything else."
)
HOW = "Set `ANTHROPIC_API_KEY` or `ANTHROPIC_BASE_URL` before the application starts."
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
_SAYINGS = (
    (NEXT, "The table is there. What would you like to do next?"),
    (r"(?:thanks|thank you|thx|great|perfect|cool|nice)(?: very much| a lot| so much)?(?:[,!]? thanks)?", WELCOME),
    (r"(?:what is|what's|explain|what are|how do(?:es)?)(?: an?)? proposals?(?: work)?",
     "A proposal shows each change in the table. Nothing changes until you apply it, and you can undo it afterwards."),
    (r"how (?:do|can) (?:i|you) (?:undo|revert)(?: .{0,40})?|can (?:i|you) undo(?: .{0,40})?",
     "Every applied change has an Undo on its receipt in the chat and in the history. Ctrl+Z undoes your last change."),
)  # fmt: skip
_CAN = {
    "tables_list": "Here I propose new tables: say what you want to keep track of, or paste a list.",
    "table_view": "Here I add, set, delete, count, add up, sort and filter rows, find duplicates, and change columns.",
    "table_edit": "Here I add, rename, move, retype and remove columns, and change options.",
}


def answer_talk(turn: Turn) -> Reply | None:
    """Answer what is about the assistant, the page or the table as a whole."""
    page, wish = turn.page, turn.wish
    if match(_HELP, wish):
        return say(f"{HONEST} {_CAN.get(page.name, '')} Nothing changes before you apply it.")
    if answer := next((text for pattern, text in _SAYINGS if match(pattern, wish)), ""):
        return say(answer)
    if match(_TABLES, wish) and "list_tables" in turn.tools:
        return _tables(turn)
    if page.columns and match(_SELECTS, wish):
        return _selects(turn)
    return say(_explained(page)) if page.columns and match(_COLUMNS, wish) else None


def _tables(turn: Turn) -> Reply:
    answer = asked(turn, tool="list_tables", given={})
    tables, total = answer.get("tables") or [], answer.get("tables_total", 0)
    lines = [f"- [{shown(one['name'])}](table:{one['id']}): {counted(one['rows'])}" for one in tables[:20]]
    lines += [f"- and {counted(total - len(lines), 'table')} more"] if total > len(lines) else []
    return say(f"You have {counted(total, 'table')}.\n\n" + "\n".join(lines))


def _explained(page: Page) -> str:
    lines = []
    for column in page.columns:
        options = f" ({', '.join(shown(option) for option in column.options[:12])})" if column.options else ""
        lines.append(f"- {shown(column.name)}: {column.type}{options}{', required' if column.required else ''}")
    description = f" {shown(page.description, limit=300)}" if page.description else ""
    size = f"{counted(page.rows)} and {counted(len(lines), 'column')}"
    return f"{shown(page.table_name)} has {size}.{description}\n\n" + "\n".join(lines)


def _selects(turn: Turn) -> Reply:
    """Name the text columns whose few values repeat."""
    answer = asked(turn, tool="get_rows", given={"limit": 200})
    found = []
    for column in turn.page.of_type("text"):
        cells = [key(str(row["data"][column.name])) for row in answer.get("rows") or [] if row["data"].get(column.name)]
        if cells and len(set(cells)) <= 10 and 2 * len(set(cells)) <= len(cells):
            found.append(column)
    offers = [f"Make {column.name} a select column" for column in found if plain(column)]
    names = and_list([shown(column.name) for column in found]) or "none"
    return say(f"Text columns in which few values repeat, in the first 200 rows: {names}.", *offers)


def offers_for(turn: Turn) -> list[str]:
    """Return three sentences that work on the page of the turn, without the one that was just sent."""
    return [offer for offer in _offers(turn.page) if offer.casefold() != turn.words.strip().casefold()][:3]


def _offers(page: Page) -> list[str]:
    if page.name == "tables_list":
        first = "Track my job applications with company, status and date applied"
        return [first, "A table for my books", "What tables do I have?", "Help"]
    group = next((column for column in page.of_type("select", "boolean") if plain(column)), None)
    number = next((column for column in page.of_type("number") if plain(column)), None)
    name = next((name for name in ("Priority", "Urgency", "Importance") if not page.column(name)), "Next priority")
    adding, help_ = f"Add a {name} column with High, Medium, Low", ["What columns are there?", "Help"]
    if not page.has_rows:
        last = next((column for column in reversed(page.columns) if plain(column)), None)
        return [adding, *([f"Make {last.name} required"] if last else []), *help_]
    questions = [f"How many per {group.name}?"] if group and page.rows else []
    questions += [f"Average {number.name}"] if number and page.rows else []
    return [*questions, "Add 5 sample rows", adding, "How many rows are there?", *help_]


def plain(column: Column) -> bool:
    """Return whether a column's name can be part of an offered sentence as it is."""
    return 0 < len(column.name) <= 40 and all(letter.isalnum() or letter == " " for letter in column.name)

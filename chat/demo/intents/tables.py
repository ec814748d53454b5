"""Which tables there are: "what tables do I have?", "how many tables?", "where is my vendors table?"."""

from __future__ import annotations

import re
from typing import Any

from chat.demo.intents.offers import offers_for
from chat.demo.language.numbers import spoken
from chat.demo.language.words import linked, shown, tokens
from chat.demo.reply import Reply, say, use
from chat.demo.request import Turn

Json = dict[str, Any]
_FLAGS = re.IGNORECASE
_ALL = re.compile(
    r"^(?:what|which)\s+(?:\w+\s+)?(?:tables|lists|trackers|data)\b.*$|^(?:show|list|display|see|view|give)(?: "
    r"me)?\s+(?:all\s+)?(?:of\s+)?(?:my|our|the|all)?\s*(?:existing\s+)?(?:tables|lists)\b.*$"
    r"|^how many (?:tables|lists)\b.*$|^(?:do|have) (?:i|we) (?:have |got )?(?:any )?(?:tables|lists)\b.*$|^"
    r"(?:my |all |list )?tables$|^what(?:'s| is| do i have) (?:here|in here|on this page)$"
    r"|^what (?:have i got|is there|do i have)(?: here| already| so far)?$",
    _FLAGS,
)
_ONE = re.compile(
    r"^(?:open|show(?: me)?|go to|where is|where's|find|what(?:'s| is) in|how many (?:rows|entries|records) "
    r"(?:are |does )?(?:in )?)\s*(?:my|the|our)?\s*(?P<name>.+?)(?:\s+(?:table|list|tracker))?(?:\s+have)?$",
    _FLAGS,
)
_MOST = 20


def list_tables(turn: Turn) -> Reply | None:
    """Named from the page, or with the tool where no list is shown."""
    wish = turn.wish.rstrip("? ")
    if _ALL.match(wish):
        return _all(turn)
    if turn.page.name != "tables_list":
        return None
    found = _ONE.match(wish)
    wanted = set(tokens(found["name"])) if found else set()
    for table in turn.page.tables:
        if wanted and wanted <= set(tokens(str(table.get("name", "")))):
            return say(f"{_line(table)}. Click it to open it; I can work on its rows there.", offers=offers_for(turn))
    return None


def _all(turn: Turn) -> Reply:
    page = turn.page
    tables: list[Json] = list(page.tables)
    total = page.tables_total
    if page.name != "tables_list":
        answer = turn.answer("list_tables")
        if answer is None and "list_tables" in turn.tools:
            return use("list_tables", {}, text="Let me look.")
        value = answer.value if answer and isinstance(answer.value, dict) else {}
        if answer is None or answer.is_error:
            return say("Your tables are listed on the Tables page.", offers=offers_for(turn))
        tables = [item for item in value.get("tables") or [] if isinstance(item, dict)]
        counted = value.get("tables_total")
        total = counted if isinstance(counted, int) else len(tables)
    if not tables:
        return say(
            "You have no tables yet. Tell me what you want to keep track of, and I will propose one.",
            offers=offers_for(turn),
        )
    total = max(total, len(tables))
    lines = [f"- {_line(table)}" for table in tables[:_MOST]]
    if total > _MOST:
        lines.append(f"- and {spoken(total - min(_MOST, len(tables)))} more")
    return say(
        f"You have {spoken(total)} {'table' if total == 1 else 'tables'}:\n\n" + "\n".join(lines),
        offers=offers_for(turn),
    )


def _line(table: Json) -> str:
    rows = table.get("rows")
    count = f" ({spoken(rows)} {'row' if rows == 1 else 'rows'})" if isinstance(rows, int) else ""
    return f"{linked(shown(table.get('name', '')), kind='table', to=table.get('id'))}{count}"

"""The demo model's answers in German: its sentences, its offers, the names in what it proposes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from chat.demo.german.holes import HOLES, figures
from chat.demo.german.sayings import SAYINGS
from chat.demo.german.values import german_value
from chat.demo.german.words import COLUMNS, NAMES, TYPES, german_list, german_name
from chat.demo.reply import Reply

Json = dict[str, Any]
_HOLE = re.compile(r"\{(\w+)\}")
_SENTENCE_ENDS = re.compile(r"(?<=[.?!])\s+(?=[A-Z“\d])")
_COLUMN = re.compile(rf"- (?P<name>.+): (?P<type>{'|'.join(TYPES)})(?P<must>, required)?(?: \((?P<held>.+)\))?")
_TRUTHS = {"yes": "ja", "no": "nein"}
_SELF = "Ich bin das Demo-Modell: ein kleines Programm in dieser Anwendung, das einige Arten von deutschen und englischen Sätzen versteht. "
_SENTENCES = {
    "I did not understand that. ": "Das habe ich nicht verstanden. ",
    "I am the demo model: a small program inside this application that reads English and German sentences of a few kinds. ": _SELF,
    "Describe what you want to keep track of, or paste a list, and I propose a table with columns. I can also tell you which tables you have.": "Beschreiben Sie, was Sie festhalten möchten, oder fügen Sie eine Liste ein: Ich schlage eine Tabelle mit Spalten vor. Ich kann auch sagen, welche Tabellen es gibt.",
    "I can add sample rows, add one row, set a column where something holds, delete rows by a condition, count and group, find the highest or lowest, and change columns.": "Ich kann Beispielzeilen hinzufügen, eine Zeile anlegen, eine Spalte nach einer Bedingung setzen, Zeilen nach einer Bedingung löschen, zählen und gruppieren, das Höchste oder Niedrigste finden und Spalten ändern.",
    "I can add, rename, move, retype and remove columns, and change the options of a select column.": "Ich kann Spalten hinzufügen, umbenennen, verschieben, umwandeln und entfernen und die Optionen einer Auswahlspalte ändern.",
    "Open your tables, or one of them, and tell me what you need.": "Öffnen Sie Ihre Tabellen oder eine davon und sagen Sie, was Sie brauchen.",
    " Every change is shown as a proposal first, and everything applied can be undone.": " Jede Änderung ist zuerst ein Vorschlag, und alles Übernommene lässt sich zurücknehmen.",
    " These sentences work here:": " Diese Sätze verstehe ich hier:",
    "Hello! ": "Guten Tag. ",
    " A row that you give me is added at once. Other changes are proposed first, and all can be undone.": " Eine Zeile, die Sie mir nennen, füge ich sofort hinzu. Andere Änderungen sind zuerst ein Vorschlag, und alle lassen sich zurücknehmen.",
    "You are welcome.": "Gern geschehen.",
    "Let me count.": "Ich zähle nach.",
    "Let me look.": "Ich sehe nach.",
    "Let me read the rows.": "Ich lese die Zeilen.",
    "There is 1 row in this table.": "Es gibt 1 Zeile in dieser Tabelle.",
    "The table has no rows yet, so there is nothing to count.": "Die Tabelle hat noch keine Zeilen; es gibt nichts zu zählen.",
    "You have no tables yet. Tell me what you want to keep track of, and I will propose one.": "Noch gibt es keine Tabelle. Sagen Sie, was Sie festhalten möchten, und ich schlage eine vor.",
    "Your tables are listed on the Tables page.": "Ihre Tabellen stehen auf der Seite „Tabellen“.",
    "This table has no columns yet. Tell me which to add, and rows can follow.": "Diese Tabelle hat noch keine Spalten. Sagen Sie, welche sie haben soll; dann können Zeilen folgen.",
    "Rows are added in an open table. Open one from Tables and tell me again; a table that I propose here brings its own sample rows.": "Zeilen kommen in eine geöffnete Tabelle. Öffnen Sie eine und sagen Sie es dort noch einmal; eine Tabelle, die ich hier vorschlage, bringt eigene Beispielzeilen mit.",
    "A new table is made from the Tables page. Go to Tables, tell me the same there, and I will propose it. Here I can work on the table that is open.": "Eine neue Tabelle entsteht auf der Seite „Tabellen“. Sagen Sie dort dasselbe, und ich schlage sie vor. Hier arbeite ich an der geöffneten Tabelle.",
    "No text column has few enough values that repeat, so I would leave them as they are.": "Keine Textspalte hat so wenige Werte, die sich wiederholen; ich würde sie lassen, wie sie sind.",
    "These text columns repeat a few values, so they could be select columns:": "In diesen Textspalten wiederholen sich wenige Werte; sie könnten Auswahlspalten sein:",
}  # fmt: skip


def _named(listed: str) -> str:
    return german_list([german_name(name) for name in re.split(r", | and ", listed)])


def _typed(listed: str) -> str:
    return german_list(
        [
            f"{german_name(name)} ({TYPES.get(kind, kind)})"
            for name, kind in re.findall(r"(?:, | and )?(.+?) \((\w+)\)", listed)
        ]
    )


_SHAPED: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"Here is a table for .+?: (.+)\. The sample rows are made up, and you can rename or leave out columns before you create it\.",
     lambda found: f"Hier ist eine Tabelle mit {_named(found[1])}. Die Beispielzeilen sind erfunden, und Spalten können umbenannt oder weggelassen werden, bevor sie entsteht."),
    (r"I made up (\d+) sample rows for (.+)\. They are invented: look through, then apply what you like\.",
     lambda found: f"Ich habe {found[1]} Beispielzeilen für {_table(found[2])} erfunden. Sehen Sie sie durch und übernehmen Sie, was gefällt."),
    (r"I made up 1 sample row for (.+)\. It is invented: look through, then apply what you like\.",
     lambda found: f"Ich habe eine Beispielzeile für {_table(found[1])} erfunden. Übernehmen Sie sie, wenn sie gefällt."),
    (r"Adding (\d+) sample rows?, made up by the demo model", lambda found: f"{found[1]} Beispielzeilen, vom Demo-Modell erfunden"),
    (r"There are ([\d,]+) rows in this table\.", lambda found: f"Es gibt {found[1]} Zeilen in dieser Tabelle."),
    (r"([\d,]+) rows by (.+):", lambda found: f"{found[1]} Zeilen nach {found[2]}:"),
    (r"You have ([\d,]+) tables?:", lambda found: "Es gibt 1 Tabelle:" if found[1] == "1" else f"Es gibt {found[1]} Tabellen:"),
    (r"- (.*) \(1 row\)", lambda found: f"- {found[1]} (1 Zeile)"),
    (r"- (.*) \(([\d,]+) rows\)", lambda found: f"- {found[1]} ({found[2]} Zeilen)"),
    (r"- and ([\d,]+) more", lambda found: f"- und {found[1]} weitere"),
    (r"- no value: ([\d,]+)", lambda found: f"- ohne Wert: {found[1]}"),
    (r"- (yes|no): ([\d,]+)", lambda found: f"- {'ja' if found[1] == 'yes' else 'nein'}: {found[2]}"),
    (r"- (.+): (\d+) different values", lambda found: f"- {found[1]}: {found[2]} verschiedene Werte"),
    (r"- (.+): ([\d,]+)", lambda found: f"- {found[1]}: {found[2]}"),
    (r"(.+) is there, with the sample rows\. What would you like to do next\?", lambda found: f"{found[1]} ist da, mit den Beispielzeilen. Was soll als Nächstes geschehen?"),
    (r"(.+) is there, and still empty\. What would you like to do next\?", lambda found: f"{found[1]} ist da und noch leer. Was soll als Nächstes geschehen?"),
    (r"This adds a column: (.+)\. The rows that are there stay as they are\.", lambda found: f"Das fügt eine Spalte hinzu: {_typed(found[1])}. Die Zeilen bleiben, wie sie sind."),
    (r"Add (.+ \(\w+\))", lambda found: f"Spalte {_typed(found[1])} hinzufügen"),
    (r"There is a column (.+) already\.", lambda found: f"Es gibt schon eine Spalte {german_name(found[1])}."),
    (r"This makes (.+) required\.", lambda found: f"Das macht {found[1]} zur Pflichtspalte."),
    (r"This moves (.+) to the start\.", lambda found: f"Das verschiebt {found[1]} an den Anfang."),
    (r"Columns chosen for: .+", lambda found: "Spalten, wie gewünscht"),
    (r"(.+?) with (.+)\.", lambda found: f"{german_name(found[1])} mit {_named(found[2])}."),
)  # fmt: skip
_OFFERS: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"Track my job applications with .+", lambda found: "Meine Bewerbungen verfolgen mit Firma, Stelle, Status und Bewerbungsdatum"),
    (r"I need a table for my vendors", lambda found: "Ich brauche eine Tabelle für meine Lieferanten"),
    (r"What tables do I have\?", lambda found: "Welche Tabellen habe ich?"),
    (r"How many rows are there\?", lambda found: "Wie viele Zeilen gibt es?"),
    (r"Add (\d+) sample rows", lambda found: f"{found[1]} Beispielzeilen hinzufügen"),
    (r"How many per (.+)\?", lambda found: f"Wie viele je {found[1]}?"),
    (r"Add a Priority column with High, Medium, Low", lambda found: "Eine Spalte Priorität mit Hoch, Mittel und Niedrig hinzufügen"),
    (r"Add a (.+) column", lambda found: f"Eine Spalte {german_name(found[1])} hinzufügen"),
    (r"Make (.+) required", lambda found: f"{found[1]} zur Pflichtspalte machen"),
    (r"Change (.+) to a select", lambda found: f"{found[1]} zur Auswahlspalte machen"),
    (r"Move (.+) to the start", lambda found: f"{found[1]} an den Anfang verschieben"),
    (r"Remove the (.+) column", lambda found: f"Die Spalte {found[1]} entfernen"),
)  # fmt: skip


def told(reply: Reply) -> Reply:
    """The same reply in German; a sentence that is not known stays in English."""
    return replace(
        reply, text="\n".join(_line(line) for line in reply.text.split("\n")), element=_element(reply.element)
    )


def _table(name: str) -> str:
    return "diese Tabelle" if name == "this table" else name


def _line(line: str) -> str:
    """A line in German: each of its sentences, or as a whole; what is not known stays in English."""
    if shaped := _shaped(line, _SHAPED[:-1]):
        return figures(shaped)
    for english, german in _SENTENCES.items():
        line = line.replace(english, german)
    told = [(part, _said(part)) for part in _SENTENCE_ENDS.split(line)]
    if whole := "" if all(said for _, said in told) else _said(line):
        return whole
    if any(said for _, said in told):
        return " ".join(said or part for part, said in told)
    return figures(line) if line.startswith("- ") else line


def _said(text: str) -> str:
    """One sentence, or several that go together; "" where it is not known."""
    if shaped := _shaped(text, _SHAPED[:-1]):
        return figures(shaped)
    if text in _KNOWN:
        return _KNOWN[text]
    if column := _COLUMN.fullmatch(text):
        held = f" ({_held(column['held'])})" if column["held"] else ""
        return f"- {column['name']}: {TYPES[column['type']]}{', Pflicht' if column['must'] else ''}{held}"
    for pattern, german in _PATTERNS:
        if found := pattern.fullmatch(text):
            values = {name: HOLES[name][1](said) for name, said in found.groupdict().items()}
            return german.format(**values)
    return ""


def _held(said: str) -> str:
    """What stands in a column: "from 1 to 9", "Offer 3, Applied 2 and others"."""
    if found := re.fullmatch(r"from (.+) to (.+)", said):
        return f"von {figures(found[1])} bis {figures(found[2])}"
    told = figures(said).removesuffix(" and others")
    told = re.sub(r"\b(yes|no)(?= \d)", lambda found: _TRUTHS[found[1]], told)
    return told + (" und andere" if said.endswith(" and others") else "")


def _pattern(english: str) -> re.Pattern[str]:
    parts = _HOLE.split(english)
    return re.compile(
        "".join(re.escape(part) if at % 2 == 0 else f"(?P<{part}>{HOLES[part][0]})" for at, part in enumerate(parts))
    )


_KNOWN = {german: german for german in _SENTENCES.values()}
_PATTERNS = tuple((_pattern(english), german) for english, german in SAYINGS)


def _shaped(text: str, shapes: tuple[tuple[str, Callable[[re.Match[str]], str]], ...]) -> str:
    found = ((say, match) for pattern, say in shapes if (match := re.fullmatch(pattern, text)))
    return next((say(match) for say, match in found), "")


def _element(element: str) -> str:
    """A marker and its JSON, with the German names and sentences in it."""
    marker, colon, written = element.partition(": ")
    if not colon:
        return element
    value = json.loads(written)
    if marker == "SUGGESTED_ACTIONS":
        return element
    value = _offers(value) if marker == "SUGGESTED_VALUES" else _proposal(value)
    return f"{marker}: {json.dumps(value, ensure_ascii=False)}" if value else ""


def _offers(values: list[Json]) -> list[Json]:
    german = [said for each in values if (said := _shaped(each["value"], _OFFERS))]
    return [{"label": said, "value": said} for said in german]


def _proposal(proposal: Json) -> Json:
    reasoning = str(proposal.get("reasoning", ""))
    made_up = "made up by the demo model" in reasoning
    told = {**proposal, "reasoning": _shaped(reasoning, _SHAPED) or _said(reasoning) or reasoning}
    told["operations"] = [_operation(each, made_up=made_up) for each in proposal["operations"]]
    if proposal.get("mode") != "create":
        return told
    return told | {
        "table_name": NAMES.get(proposal["table_name"], proposal["table_name"]),
        "table_description": _shaped(proposal["table_description"], _SHAPED) or proposal["table_description"],
        "sample_rows": [
            {COLUMNS.get(name, name): _value(cell) for name, cell in row.items()} for row in proposal["sample_rows"]
        ],
        "next": "Anbieten, wie es weitergeht",
    }


def _operation(operation: Json, *, made_up: bool) -> Json:
    if "reason" in operation:
        operation = {**operation, "reason": _said(str(operation["reason"])) or operation["reason"]}
    if made_up and "data" in operation:
        operation = {**operation, "data": {name: german_value(cell) for name, cell in operation["data"].items()}}
    column = operation.get("column")
    if column is None:
        return operation
    options = {"options": [german_name(each) for each in column["options"]]} if "options" in column else {}
    return {**operation, "column": {**column, "name": german_name(column["name"]), **options}}


def _value(cell: Any) -> Any:
    told = german_value(cell)
    return german_name(told) if isinstance(told, str) and told == cell else told

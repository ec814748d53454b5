"""Reads a described need: what a table is to be about, what it is to be called, which columns it is to have."""

from __future__ import annotations

import re
from dataclasses import dataclass

from chat.demo.intents.wanted import Wanted, read_columns
from chat.demo.knowledge.domains import find_domain
from chat.demo.language.words import plural_phrase, split_list, squeeze, title, unquote

_FLAGS = re.IGNORECASE | re.DOTALL
TABLE_WORD = (
    r"(?:tables?|lists?|trackers?|spreadsheets?|sheets?|databases?|db|log|logbook|log book|register|overview"
    r"|directory|catalog(?:ue)?|board|diary|journal)"
)
_SELF_NAMED = (
    r"(?:watch ?list|crm|inventory|pipeline|budget|address book|guest ?list|to-?do ?list|wish ?list|phone ?book)"
)
_VERBS = (
    r"keep(?:ing)? (?:track|a record|records|a list|tabs|an overview) (?:of|on)",
    r"keep(?:ing)? an eye on",
    r"(?:track|manage|organi[sz]e|monitor|log|record|collect|catalog(?:ue)?)s?",
    r"(?:track|manag|organi[sz]|monitor|logg|record|collect|catalogu?)ing",
    r"stay on top of|remember",
)
_VERB = re.compile(rf"\b(?:{'|'.join(_VERBS)})\b(?! of\b)", _FLAGS)
_MAKE = re.compile(
    r"^(?:create|make|build|keep|set ?up|start|design|draft|generate|prepare|propose|add|open|give|get|i need|i want"
    r"|i'd like|i would like"
    r"|we need|we want|need|want|new)(?:\s+(?:me|us))?\b",
    _FLAGS,
)
_JOIN = re.compile(
    r"\s*[,(]?\s*\b(?:(?:with|using)(?: the)?(?: following)?(?: (?:columns?|fields?|properties|attributes))?(?: for)?"
    r"|(?:the )?(?:columns?|fields?)(?: are| should be| for)?|including|includes?|having|containing|showing|by"
    r"|(?:that|which|it|and|should|must) (?:should |must |to )?(?:has|have|contains?|includes?|shows?|lists?)"
    r"|and (?:their|its|the|each one's)|where i (?:note|record|enter)|i(?:'ll)? need(?: to know)?"
    r"|i want to (?:see|know|note|record))\b\s*:?\s*",
    _FLAGS,
)
_COLON = re.compile(r"\s*[:–—]\s+|\s+-\s+|\s*:\s*\n")
_CALLED = re.compile(
    r"\s*,?\s*\b(?:named|called|titled|with the name)\s+(?P<name>\"[^\"]+\"|'[^']+'|“[^”]+”|[^,:;]+?)"
    r"(?=\s+(?:with|for|to|that|including|having|containing|from|using|out of)\b|\s*[,:;]|$)",
    _FLAGS,
)
_DETERMINER = re.compile(
    r"^(?:all|the|a|an|my|our|some|any|of|various|different|every|each|these|those|this|new|which|what|simple"
    r"|small|basic|nice|good|little"
    r"|whole|for|about|to|and|me|us|personal|own|empty|another|one)(?:\s+|$)",
    _FLAGS,
)
_TRAIL = re.compile(
    r"\s+(?:for (?:me|us|my team|work)|at work|in one place|better|somewhere|this year|here|easily|i(?:'m|'ve| "
    r"am| have)?\b.*|that .*"
    r"|we\b.*|in a (?:table|list)|properly|and stuff|and so on)$",
    _FLAGS,
)
_ROWISH = re.compile(
    r"\b(?:columns?|fields?|rows?|samples?|examples?|entries|entry|records?|options?|duplicates?)\b", _FLAGS
)
_ASKS = re.compile(
    r"^(?:how|what|which|who|when|where|why|do|does|is|are|add|set|change|delete|remove|rename|show|list|find"
    r"|count|help|open|tell|explain"
    r"|thank\w*|mark|update|move|clear|sort|filter|undo|go|hi|hello)\b",
    _FLAGS,
)
_INTO_LIST = re.compile(rf"\b(?:to|in|into|from|of|on) (?:the|this|my|that) {TABLE_WORD}\b", _FLAGS)


@dataclass(frozen=True)
class Need:
    """A table somebody needs. `around` is the whole wish, for the subject's sake."""

    topic: str
    columns: tuple[Wanted, ...]
    around: str
    name: str = ""


def read_need(wish: str, *, free: bool) -> Need | None:
    """The need a wish describes, or None. `free` also takes a bare subject ("vendors"), where nothing else is meant."""
    called = _CALLED.search(wish)
    name = unquote(called["name"]).strip() if called else ""
    text = wish[: called.start()] + wish[called.end() :] if called else wish
    head, listed = _split(text)
    if not _means_table(wish, head=head, free=free):
        return None
    topic = _topic(head)
    columns = read_columns(listed)
    if not columns and len(split_list(head)) > 2:
        topic, columns = _only_a_list(head, topic=topic)
    return Need(topic=topic, columns=tuple(columns), around=squeeze(wish), name=name)


def _means_table(wish: str, *, head: str, free: bool) -> bool:
    has_table = re.search(rf"\b(?:{TABLE_WORD}|{_SELF_NAMED})\b", head, _FLAGS) is not None
    makes, tracks = _MAKE.match(wish) is not None, _VERB.search(head) is not None
    if free and re.match(r"^(?:columns?|fields?)\s*:", wish, _FLAGS):
        return True
    if not free:
        if _ROWISH.search(head) or _INTO_LIST.search(head):
            return (
                re.match(
                    r"^(?:create|make|build|set ?up)\b.*\b(?:new|another) (?:table|tracker|spreadsheet)\b", head, _FLAGS
                )
                is not None
            )
        own = re.search(r"\b(?:my|our)\b", head, _FLAGS) is not None
        return (makes and has_table) or (tracks and own and not _ASKS.match(wish))
    if re.match(r"^(?:show|list|delete|remove|open|rename|what|which|how|where)\b", wish, _FLAGS) and not tracks:
        return False
    if _ROWISH.search(head) and not has_table and not tracks:
        return False
    if tracks or (has_table and (makes or not _ASKS.match(wish))):
        return True
    known = find_domain(head) is not None and (makes or not _ASKS.match(wish))
    return known and not wish.endswith("?") and len(head.split()) <= 8 and not re.match(r"^add\b", wish, _FLAGS)


def _split(text: str) -> tuple[str, str]:
    """What the table is about, and the list of its columns."""
    colon, start = _COLON.search(text), 0
    while (join := _JOIN.search(text, start)) is not None:
        # "a table with my expenses" has no columns after "with", and "by" must have something before it.
        if join.start() > 0 and not re.match(r"(?:my|our|all)\b", text[join.end() :], _FLAGS):
            break
        start = join.end()
    if colon and (join is None or colon.start() < join.start()):
        rest = text[colon.end() :]
        again = _JOIN.search(rest)
        if again and again.start() > 0 and len(rest[: again.start()].split()) <= 4 and "," not in rest[: again.start()]:
            return f"{text[: colon.start()]} for {rest[: again.start()]}", rest[again.end() :]
        return text[: colon.start()], _JOIN.sub("", rest, count=1) if again and again.start() == 0 else rest
    return (text[: join.start()], _closed(text[join.end() :])) if join else (text, "")


def _closed(listed: str) -> str:
    """Without the bracket that closes one before the list."""
    listed = listed.rstrip()
    return listed[:-1] if listed.endswith(")") and listed.count(")") > listed.count("(") else listed


def _topic(head: str) -> str:
    """ "create a new table to track my job applications" → "job applications"."""
    verb = next(iter(reversed(list(_VERB.finditer(head)))), None)
    if verb and (after := _clean(head[verb.end() :])):
        return after
    text = _MAKE.sub("", head).strip()
    own = re.search(rf"\b{_SELF_NAMED}\b", text, _FLAGS)
    found = re.search(rf"(?P<pre>.*?)\b(?P<table>{TABLE_WORD})\b(?P<post>.*)$", text, _FLAGS)
    if own or found is None:
        return _clean(text)
    post = re.sub(r"^\s*(?:(?:that|which|to|for|of|about|on|with|where|so)\b\s*)+", "", found["post"], flags=_FLAGS)
    if after := _clean(post):
        return after
    before = _clean(found["pre"])
    if not before:
        return ""
    keeps = re.match(r"(?:list|log|directory|diary|journal|register)s?$", found["table"], _FLAGS)
    return f"{before} {found['table']}" if keeps else plural_phrase(before)


def _only_a_list(head: str, *, topic: str) -> tuple[str, list[Wanted]]:
    """ "track company, position, status" lists columns; "job applications, company, status" a topic and columns."""
    verb = _VERB.search(head)
    items = split_list(head[verb.end() :] if verb else _MAKE.sub("", head))
    if len(items) < 3:
        return topic, []
    if find_domain(items[0]) and not re.search(
        r"^(?:the )?(?:company|name|title|book|task|item|date)$", items[0], _FLAGS
    ):
        return _clean(items[0]), read_columns(", ".join(items[1:]))
    about = re.search(r"\s+(?:for|of|about)\s+(?:my|our|the|all)\s+(?P<topic>[\w ]+)$", items[-1], _FLAGS)
    if about:
        items[-1] = items[-1][: about.start()]
    return _clean(about["topic"]) if about else "", read_columns(", ".join(items))


def _clean(topic: str) -> str:
    topic = squeeze(topic).strip(" ,.:;-–—!?")
    for pattern in (_DETERMINER, _TRAIL, _DETERMINER):
        while (shorter := pattern.sub("", topic, count=1)) != topic:
            topic = shorter
    return topic.strip(" ,.:;-–—!?")


def name_of(topic: str) -> str:
    """The topic as a table's name."""
    return title(topic)[:255]

"""Declarations of developers for the demo model: answers to starters of their pages, and examples of their tools."""

import re
from collections.abc import Iterator

from chat.agent.tools import ToolConfig, tools
from chat.demo_model.english import display, match, normalize, strip_courtesy
from chat.demo_model.reply import Reply, ToolNeeded, say
from chat.demo_model.request import Turn
from chat.page_config import Starter, layers_of, pages
from chat.scripted_model.placeholders import Values, fill_input, names_in
from chat.scripted_model.reply import Reply as PreparedReply
from chat.scripted_model.reply_form import ReplyReader
from chat.scripted_model.request import Call

MAX_RESULT_LENGTH = 600
MAX_LINES = 20
MAX_LINE_LENGTH = 120
_PLACEHOLDER = re.compile(r"\\\{(\w+)\\\}")


def answer_starter(call: Call, *, page: str) -> PreparedReply | None:
    """Return the declared answer if the message is a starter of the page that has one."""
    for starter in _starters(page):
        if normalize(starter) == normalize(call.message):
            replies = ReplyReader().replies(starter.demo, path=())
            values = Values(result=call.result)
            return replies[min(call.answers, len(replies) - 1)].fill(values, schemas=call.schemas)
    return None


def use_example(turn: Turn) -> Reply | None:
    """Call the tool of which an example matches, or answer with its result."""
    for tool in _offered(turn):
        for sentence, declared in tool.examples.items():
            if found := match(_pattern(sentence), turn.request):
                if tool.name in turn.results:
                    return _answer_result(turn, tool=tool)
                values = Values(groups=found.groupdict())
                raise ToolNeeded(tool.name, fill_input(dict(declared), values=values, schema=tool.input_schema))
    return None


def describe_sentences(turn: Turn) -> str:
    """Return a text about the sentences that work on a page of another application."""
    sentences = [f"“{re.sub(r'{.+?}', '…', sentence)}”" for tool in _offered(turn) for sentence in tool.examples]
    if not (sentences or any(_starters(turn.page.name))):
        return "No sentences are declared for me on this page."
    known = f" such as {', '.join(sentences[:6])}" if sentences else ""
    return f"On this page I know only sentences that were declared for me{known}."


def suggested_sentences(turn: Turn) -> list[str]:
    """Return the starters of a page that work, then the examples that have no placeholder."""
    page = pages.get(turn.page.name)
    starters = [str(each) for each in (page.starters if page else ())]
    answered = {str(starter) for starter in _starters(turn.page.name)}
    examples = [sentence for tool in _offered(turn) for sentence in tool.examples]
    patterns = [_pattern(sentence) for sentence in examples]
    working = [
        text for text in starters if text in answered or any(match(each, strip_courtesy(text)) for each in patterns)
    ]
    return [*dict.fromkeys([*working, *(sentence for sentence in examples if not any(names_in(sentence)))])]


def _starters(page: str) -> Iterator[Starter]:
    config = pages.get(page)
    for starter in (starter for layer in layers_of(config) for starter in layer.starters) if config else ():
        if isinstance(starter, Starter) and starter.demo is not None:
            yield starter


def _offered(turn: Turn) -> list[ToolConfig]:
    return [tool for tool in tools if tool.name in turn.tools and tool.examples]


def _pattern(sentence: str) -> str:
    """Return the regular expression of an example, with a group for each placeholder."""
    return _PLACEHOLDER.sub(r"(?P<\1>.+?)", re.escape(strip_courtesy(sentence)))


def _answer_result(turn: Turn, *, tool: ToolConfig) -> Reply:
    result = turn.results[tool.name]
    value = Values(result=result).get("result")
    text = f" {display(value, limit=MAX_RESULT_LENGTH)}"
    if result["is_error"]:
        return say(f"`{tool.name}` failed:{text}")
    lines = [line for each in str(value).splitlines()[:MAX_LINES] if (line := display(each, limit=MAX_LINE_LENGTH))]
    if len(lines) > 1:
        text = "\n\n" + "\n".join(f"- {line}" for line in lines)
    return say(f"This is the result of `{tool.name}`:{text}")

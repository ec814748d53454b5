"""Script files: what they answer, and how their faults are reported."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chat.agent.call import FROM_APPLICATION
from chat.scripted_model.faults import ScriptError
from chat.scripted_model.script import ScriptFile, ScriptPlayer, load_script

Json = dict[str, Any]
SEARCH = {
    "name": "search_papers",
    "input_schema": {"properties": {"words": {"type": "string"}, "limit": {"type": "integer"}}},
}
SCRIPT = r"""
turns:
  - pattern: (?P<limit>\d+) papers about (?P<words>\w+)
    replies:
      - tools: [{name: search_papers, input: {words: "{words}", limit: "{limit}"}}]
      - text: The first of {result.total} about {words} is “{result.papers.0.title}”, {{words}}.
        payloads:
          READING_LIST: {entries: [{paper_id: "{result.papers.0.id}", since: 2026-06-01}]}
        suggestions: [Thanks, {label: More, value: "More about {words}"}]
  - {match: hello, replies: First.}
  - {match: hello, replies: Second.}
  - replies: For anything, once.
  - {match: overload, replies: [{error: overloaded}, And after it.]}
  - {match: always, replies: {error: overloaded, delay: 2}}
  - {match: cut, replies: {text: It goes, error: cut}}
  - {match: decline, replies: {error: refused}}
  - {match: break, replies: {text: It goes, error: dropped}}
  - {match: interrupt, replies: {text: It goes, error: overloaded}}
default: For anything else.
"""


def request(words: str, *after: Json, token: str = "a") -> Json:
    blocks = [{"type": "text", "text": text} for text in (f"CONTEXT {token}", words)]
    return {"messages": [{"role": "user", "content": blocks}, *after], "tools": [SEARCH]}


def result_of_tool(value: Any, name: str = "search_papers") -> tuple[Json, Json]:
    text = value if isinstance(value, str) else f'<data token="x">\n{json.dumps(value)}\n</data token="x">'
    used = {"type": "tool_use", "id": "toolu_1", "name": name, "input": {}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": text}
    return {"role": "assistant", "content": [used]}, {"role": "user", "content": [result]}


@pytest.fixture
def player(tmp_path: Path) -> ScriptPlayer:
    file = tmp_path / "script.yaml"
    file.write_text(SCRIPT)
    return ScriptPlayer(load_script(file, catalogue=None))


def text_of(player: ScriptPlayer, words: str, token: str) -> str:
    reply = player.take(request(words, token=token))
    assert reply is not None
    return reply.blocks[0]["text"]


def test_turn_inserts_values_of_the_message_and_of_the_tool(player: ScriptPlayer) -> None:
    words = "Give me 5 papers about naps"
    first = player.take(request(words))
    found = {"total": 3, "papers": [{"id": 7, "title": "Why {naps} help"}]}
    second = player.take(request(words, *result_of_tool(found)))

    assert first is not None
    assert second is not None
    assert first.blocks == ({"type": "tool_use", "name": "search_papers", "input": {"words": "naps", "limit": 5}},)
    prose, payload, suggested = second.blocks[0]["text"].split("\n\n")
    assert prose == "The first of 3 about naps is “Why {naps} help”, {words}."
    assert json.loads(payload.partition(": ")[2]) == {"entries": [{"paper_id": 7, "since": "2026-06-01"}]}
    values = [{"label": "Thanks", "value": "Thanks"}, {"label": "More", "value": "More about naps"}]
    assert json.loads(suggested.removeprefix("SUGGESTED_VALUES: ")) == values


def test_missing_value_is_an_error_with_the_result(player: ScriptPlayer) -> None:
    player.take(request("5 papers about naps"))
    with pytest.raises(ScriptError, match=r"script.yaml: {result.total}: the result of the tool has no 'total'.*None"):
        player.take(request("5 papers about naps", *result_of_tool("None found")))


def test_message_gets_the_first_unused_match_then_the_unused_rest_then_the_default(player: ScriptPlayer) -> None:
    words = ["oh, HELLO", "hello", "hello", "what?", "what?"]
    texts = [text_of(player, each, token=str(at)) for at, each in enumerate(words)]

    assert texts == ["First.", "Second.", "Second.", "For anything, once.", "For anything else."]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("overload", [(529, "end_turn", ""), (200, "end_turn", "")]),
        ("always", [(529, "end_turn", ""), (529, "end_turn", "")]),
        ("cut", [(200, "max_tokens", "")]),
        ("decline", [(200, "refusal", "")]),
        ("break", [(200, "end_turn", "drop")]),
        ("interrupt", [(200, "end_turn", "error")]),
    ],
)
def test_replies_fail_as_declared(player: ScriptPlayer, words: str, expected: list[tuple[int, str, str]]) -> None:
    replies = [player.take(request(words)) for _ in expected]

    assert [(reply.status, reply.stop_reason, reply.ending) for reply in replies if reply] == expected


def test_request_of_the_application_belongs_to_the_turn_of_the_user(player: ScriptPlayer) -> None:
    player.take(request("overload"))
    correction = {"role": "user", "content": [{"type": "text", "text": f"{FROM_APPLICATION} hello"}]}

    reply = player.take(request("overload", {"role": "assistant", "content": "Hm."}, correction))

    assert reply is not None
    assert reply.blocks[0]["text"] == "And after it."


FAULTY = r"""
turns:
  - match: yes
    repleis: Hello
  - replies:
      - tools:
          - name: get_helpp
      - text: "{words} and {result}"
        payloads: {DATA_PROPOSALS: {}}
        pace: fast
  - match: 5
    pattern: "("
    replies: {error: lost, text: No}
  - replies: {}
  - replies: "{result}"
"""


def test_every_fault_has_its_line_and_path(tmp_path: Path) -> None:
    file = tmp_path / "script.yaml"
    file.write_text(FAULTY)
    with pytest.raises(ScriptError) as raised:
        load_script(file)

    lines = [line.strip() for line in str(raised.value).split("\n")]
    assert lines[0] == f"{file} has 11 errors:"
    for line, start in zip(
        lines[1:],
        [
            "line 4, turns[0].repleis: unknown key; the keys are match, pattern, replies",
            "line 3, turns[0]: replies is required",
            "line 7, turns[1].replies[0].tools[0].name: no page offers the tool 'get_helpp'. Did you mean 'get_help'?",
            "line 8, turns[1].replies[1]: {words} has no value; there are {result}.",
            "line 9, turns[1].replies[1].payloads.DATA_PROPOSALS: no payload type has the marker",
            "line 10, turns[1].replies[1].pace: must be a number of seconds, not 'fast'",
            "line 12, turns[2].pattern: cannot be used together with match",
            "line 11, turns[2].match: must be text, not a number; put it in quotation marks",
            "line 13, turns[2].replies.error: must be one of overloaded,",
            "line 14, turns[3].replies: must have text,",
            "line 15, turns[4].replies: {result} needs a tool call in an earlier reply",
        ],
        strict=True,
    ):
        assert line.startswith(start)


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("a.yaml", "turns: [", "a.yaml, line 1: not valid YAML"),
        ("a.yaml", "turns: [{match: Why: now?}]", "colons or question marks into quotation marks."),
        ("a.yaml", "turns: []\nturns: []", "a.yaml, line 2: the key 'turns' occurs twice"),
        ("a.yaml", "turns: &a [*a]", "a.yaml, line 1: an alias cannot contain itself"),
        ("a.yaml", "turns: !!binary aGk=", "a.yaml, line 1: the tag 'tag:yaml.org,2002:binary' is not supported"),
        ("a.yaml", "", "must be a mapping, not empty"),
        ("a.yaml", "{}", "must have turns"),
        ("a.json", '{"turns": []', "a.json: not valid JSON"),
        ("a.json", '{"turns": [{"replies": 5}]}', "turns[0].replies: must be a text, or a mapping"),
        ("missing.yaml", None, "missing.yaml: cannot be read: No such file or directory"),
    ],
)
def test_unreadable_file_is_refused(tmp_path: Path, name: str, text: str | None, fault: str) -> None:
    file = tmp_path / name
    if text is not None:
        file.write_text(text)

    with pytest.raises(ScriptError) as raised:
        load_script(file)

    assert fault in str(raised.value)


def test_changed_file_is_read_again_and_its_errors_are_answers(tmp_path: Path) -> None:
    file = tmp_path / "script.yaml"
    script = ScriptFile(file)
    texts = []
    for at, content in enumerate([None, "turns: [{replies: 5}]", "turns: [{replies: Hello}]"]):
        if content is not None:
            file.write_text(content)
        texts += [script.answer(request("hi", token=f"{at}{each}")).blocks[0]["text"] for each in "ab"]

    assert "cannot be read" in texts[0]
    assert "line 1, turns[0].replies: must be" in texts[2]
    assert texts[4:] == ["Hello", "script.yaml has no reply to this message."]

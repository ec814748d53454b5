"""Strict JSON: reading, writing, hashing and making values storable."""
from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared import strictjson
from shared.strictjson.reader import PART_BYTES

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(min_value=-(2**53), max_value=2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")), inner, max_size=4),
    max_leaves=20,
)

# Values that may be refused: NUL characters, infinite numbers, and more than three levels.
UNTRUSTED_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(min_value=-(2**53), max_value=2**53)
    | st.sampled_from([1.5, float("inf"), -float("inf")])
    | st.sampled_from(["", "a", "é", "\x00", "a\x00b", "\u2028"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "\x00"]), inner, max_size=2),
    max_leaves=10,
)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("", "not_json", id="empty"),
        pytest.param("{", "not_json", id="cut off"),
        pytest.param("[1,]", "not_json", id="trailing comma"),
        pytest.param("[NaN]", "not_json", id="NaN"),
        pytest.param("[Infinity]", "not_json", id="Infinity"),
        pytest.param("1e400", "not_finite", id="number beyond doubles"),
        pytest.param('{"a":1,"a":2}', "duplicate_key", id="duplicate key"),
        pytest.param('"\\u0000"', "nul_character", id="NUL"),
        pytest.param('{"\\u0000":1}', "nul_character", id="NUL in a key"),
        pytest.param('"\\ud800"', "not_json", id="half a surrogate pair"),
        pytest.param("[" * 65 + "]" * 65, "too_deep", id="65 levels"),
        pytest.param("[" * 5000 + "]" * 5000, "too_deep", id="5,000 levels"),
        pytest.param(b'"\xff"', "not_utf8", id="not UTF-8"),
    ],
)
def test_unsafe_json_is_refused(text: str | bytes, code: str) -> None:
    with pytest.raises(strictjson.StrictJsonError) as raised:
        strictjson.loads(text)
    assert raised.value.code == code


def test_a_refusal_names_all_paths() -> None:
    with pytest.raises(strictjson.StrictJsonError) as raised:
        strictjson.loads('{"rows":[{"name":"ok"},{"name":"\\u0000"},{"b\\u0000":1,"c":"\\u0000"}]}')
    paths = [raised.value.path, *(each.path for each in raised.value.others)]
    assert paths == ["rows[1].name", "rows[2]", "rows[2].c"]


def test_64_levels_are_read() -> None:
    assert strictjson.loads("[" * 64 + "]" * 64)


def test_a_lower_depth_limit_is_applied() -> None:
    with pytest.raises(strictjson.StrictJsonError, match="deep"):
        strictjson.loads("[[[]]]", max_depth=2)


@given(JSON_VALUES)
def test_written_json_is_read_back_unchanged(value: Any) -> None:
    assert strictjson.loads(strictjson.dumps(value)) == value


@given(st.dictionaries(st.sampled_from(["id", "next", 'a "key"']), JSON_VALUES), JSON_VALUES)
def test_serialized_members_are_inserted_unchanged(form: dict[str, Any], value: Any) -> None:
    written = strictjson.dumps_with_members(form, outcome=strictjson.dumps(value))
    assert strictjson.loads(written) == {**form, "outcome": value}


@given(st.dictionaries(st.text(max_size=3), st.integers(), min_size=2, max_size=6))
def test_the_hash_does_not_depend_on_the_order_of_keys(value: dict[str, int]) -> None:
    reordered = dict(reversed(list(value.items())))
    assert strictjson.content_hash(json.loads(json.dumps(reordered))) == strictjson.content_hash(value)


def count_values(value: Any) -> int:
    """Count a value and its members recursively; empty containers count twice, as in `max_values`."""
    if not isinstance(value, dict | list):
        return 1
    return 1 + (sum(map(count_values, value.values() if isinstance(value, dict) else value)) or 1)


@given(JSON_VALUES)
def test_more_values_than_allowed_are_refused(value: Any) -> None:
    count = count_values(value)
    assert strictjson.loads(strictjson.dumps(value), max_values=count) == value
    with pytest.raises(strictjson.StrictJsonError) as raised:
        strictjson.loads(strictjson.dumps(value), max_values=count - 1)
    assert raised.value.code == "too_many_values"


@pytest.mark.parametrize(
    ("value", "parts"),
    [("a,[{", 1.1), ('quoted \\" , " and [', 1.1), ("x" * PART_BYTES, 5), (PART_BYTES * ",", 5)],
    ids=range(4),
)
def test_values_of_a_long_text_are_counted_exactly(value: str, parts: float) -> None:
    values = [value] * int(parts * PART_BYTES / len(value))
    text = strictjson.dumps(values)
    assert strictjson.loads(text, max_values=len(values) + 1) == values
    with pytest.raises(strictjson.StrictJsonError):
        strictjson.loads(text, max_values=len(values))


def test_the_hash_differs_for_different_values() -> None:
    assert strictjson.content_hash({"a": 1}) != strictjson.content_hash({"a": "1"})


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        ("plain", "plain"),
        ("Straße 😀", "Straße 😀"),
        ("a\x00b", "a\ufffdb"),
        ("a\ud800b", "a\ufffdb"),
        ("\ud83d\ude00", "😀"),
        ({"a\x00": [1, float("inf"), float("nan"), None, True]}, {"a\ufffd": [1, None, None, None, True]}),
        (({"a": (1,)},), [{"a": [1]}]),
    ],
    ids=["text", "beyond ASCII", "NUL", "lone surrogate", "surrogate pair", "object", "tuples"],
)
def test_unstorable_values_are_replaced(value: Any, stored: Any) -> None:
    assert strictjson.replace_unstorable(value) == stored
    strictjson.loads(strictjson.dumps(strictjson.replace_unstorable(value)))


def test_values_nested_too_deep_are_cut() -> None:
    value: Any = "end"
    for _ in range(100):
        value = [value]

    strictjson.check_storable(strictjson.replace_unstorable(value))


def refusal(work: Callable[[], Any]) -> tuple[str, str] | None:
    """Return the code and path of the refusal, or None."""
    try:
        work()
    except strictjson.StrictJsonError as error:
        return error.code, error.path
    return None


@given(value=UNTRUSTED_VALUES)
def test_texts_are_refused_exactly_when_their_values_are(value: Any) -> None:
    text = json.dumps(value).replace("Infinity", "1e999")
    expected = refusal(lambda: strictjson.check_storable(value, max_depth=3))
    assert refusal(lambda: strictjson.loads(text, max_depth=3)) == expected


def test_texts_are_not_cached() -> None:
    """A parser that caches texts would return the same object twice."""
    (first,), (second,) = strictjson.loads('["Ada Lovelace"]'), strictjson.loads('["Ada Lovelace"]')

    assert first == second == "Ada Lovelace"
    assert first is not second

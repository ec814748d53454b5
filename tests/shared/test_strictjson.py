"""JSON is read the same, strict way everywhere."""
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

# What may have to be refused, too: NUL characters, numbers beyond all bounds, and more than three levels.
ROUGH_VALUES = st.recursive(
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
        pytest.param("", "not_json", id="nothing"),
        pytest.param("{", "not_json", id="cut off"),
        pytest.param("[1,]", "not_json", id="trailing comma"),
        pytest.param("[NaN]", "not_json", id="NaN"),
        pytest.param("[Infinity]", "not_json", id="Infinity"),
        pytest.param("1e400", "not_finite", id="a number beyond doubles"),
        pytest.param('{"a":1,"a":2}', "duplicate_key", id="doubled key"),
        pytest.param('"\\u0000"', "nul_character", id="NUL"),
        pytest.param('{"\\u0000":1}', "nul_character", id="NUL in a key"),
        pytest.param('"\\ud800"', "not_json", id="half a surrogate pair"),
        pytest.param("[" * 65 + "]" * 65, "too_deep", id="65 levels"),
        pytest.param("[" * 5000 + "]" * 5000, "too_deep", id="5,000 levels"),
        pytest.param(b'"\xff"', "not_utf8", id="not UTF-8"),
    ],
)
def test_what_could_hurt_later_is_refused(text: str | bytes, code: str) -> None:
    with pytest.raises(strictjson.StrictJsonError) as caught:
        strictjson.loads(text)
    assert caught.value.code == code


def test_a_refusal_names_the_path() -> None:
    with pytest.raises(strictjson.StrictJsonError) as caught:
        strictjson.loads('{"rows":[{"name":"ok"},{"name":"\\u0000"}]}')
    assert caught.value.path == "rows[1].name"


def test_64_levels_are_read() -> None:
    assert strictjson.loads("[" * 64 + "]" * 64)


def test_a_lower_limit_of_depth_holds() -> None:
    with pytest.raises(strictjson.StrictJsonError, match="deep"):
        strictjson.loads("[[[]]]", max_depth=2)


@given(JSON_VALUES)
def test_reading_what_was_written_gives_the_value_back(value: Any) -> None:
    assert strictjson.loads(strictjson.dumps(value)) == value


@given(st.dictionaries(st.sampled_from(["id", "next", 'a "key"']), JSON_VALUES), JSON_VALUES)
def test_members_that_are_written_already_stand_in_an_object_as_they_are(form: dict[str, Any], value: Any) -> None:
    written = strictjson.dumps_with_members(form, outcome=strictjson.dumps(value))
    assert strictjson.loads(written) == {**form, "outcome": value}


@given(st.dictionaries(st.text(max_size=3), st.integers(), min_size=2, max_size=6))
def test_the_hash_does_not_depend_on_the_order_of_keys(value: dict[str, int]) -> None:
    turned = dict(reversed(list(value.items())))
    assert strictjson.content_hash(json.loads(json.dumps(turned))) == strictjson.content_hash(value)


def values_in(value: Any) -> int:
    """Count a value, its members and theirs; an empty container counts twice, as `max_values` counts it."""
    if not isinstance(value, dict | list):
        return 1
    return 1 + (sum(map(values_in, value.values() if isinstance(value, dict) else value)) or 1)


@given(JSON_VALUES)
def test_more_values_than_allowed_are_refused(value: Any) -> None:
    count = values_in(value)
    assert strictjson.loads(strictjson.dumps(value), max_values=count) == value
    with pytest.raises(strictjson.StrictJsonError) as refused:
        strictjson.loads(strictjson.dumps(value), max_values=count - 1)
    assert refused.value.code == "too_many_values"


@pytest.mark.parametrize("value", ["a,[{", 'quoted \\" , " and [', "x" * PART_BYTES, PART_BYTES * ","], ids=range(4))
def test_values_of_a_long_text_are_counted_exactly(value: str) -> None:
    values = [value] * (5 * PART_BYTES // len(value))
    text = strictjson.dumps(values)
    assert strictjson.loads(text, max_values=len(values) + 1) == values
    with pytest.raises(strictjson.StrictJsonError):
        strictjson.loads(text, max_values=len(values))


def test_the_hash_tells_values_apart() -> None:
    assert strictjson.content_hash({"a": 1}) != strictjson.content_hash({"a": "1"})


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("plain", "plain"),
        ("Straße 😀", "Straße 😀"),
        ("a\x00b", "a\ufffdb"),
        ("a\ud800b", "a\ufffdb"),
        ("\ud83d\ude00", "😀"),
        ({"a\x00": [1, float("inf"), float("nan"), None, True]}, {"a\ufffd": [1, None, None, None, True]}),
        (({"a": (1,)},), [{"a": [1]}]),
    ],
    ids=["text", "beyond ASCII", "NUL", "half a pair", "two halves", "in an object", "tuples"],
)
def test_what_others_wrote_is_made_storable(value: Any, kept: Any) -> None:
    assert strictjson.replace_unstorable(value) == kept
    strictjson.loads(strictjson.dumps(strictjson.replace_unstorable(value)))


def test_what_is_nested_too_deep_to_store_is_cut() -> None:
    value: Any = "end"
    for _ in range(100):
        value = [value]

    strictjson.check_storable(strictjson.replace_unstorable(value))


def refusal(work: Callable[[], Any]) -> tuple[str, str] | None:
    """Code and path of what is refused."""
    try:
        work()
    except strictjson.StrictJsonError as fault:
        return fault.code, fault.path
    return None


@given(value=ROUGH_VALUES)
def test_a_text_is_refused_exactly_when_its_value_is(value: Any) -> None:
    text = json.dumps(value).replace("Infinity", "1e999")
    wanted = refusal(lambda: strictjson.check_storable(value, max_depth=3))
    assert refusal(lambda: strictjson.loads(text, max_depth=3)) == wanted


def test_nothing_holds_on_to_the_texts_that_were_read() -> None:
    """A parser that does would return the same object again."""
    (first,), (second,) = strictjson.loads('["Ada Lovelace"]'), strictjson.loads('["Ada Lovelace"]')

    assert first == second == "Ada Lovelace"
    assert first is not second

"""Differences of two values: complete, exact, and computed in bounded time."""
from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chat.configuration import difference, marked_words
from chat.configuration.text_diff import CONTEXT_LINES

LINES = st.lists(st.sampled_from("abc"), max_size=40)


@given(LINES, LINES)
def test_signs_account_for_every_line_of_both(before: list[str], after: list[str]) -> None:
    lines = difference(before, after)
    left_out = sum(int(line.split()[0]) for sign, line in lines if sign == "…")
    alike = sum(1 for sign, _ in lines if sign == " ") + left_out
    if before == after:
        assert lines == []
    else:
        assert alike + sum(1 for sign, _ in lines if sign == "−") == len(before)
        assert alike + sum(1 for sign, _ in lines if sign == "+") == len(after)


@given(LINES, LINES)
def test_only_lines_near_a_difference_are_shown(before: list[str], after: list[str]) -> None:
    lines = difference(["x"] * 20 + before, ["x"] * 20 + after)
    run = 0
    for sign, _ in lines:
        run = run + 1 if sign == " " else 0
        assert run <= 2 * CONTEXT_LINES


def test_lines_far_from_any_difference_are_counted() -> None:
    old = [str(number) for number in range(20)]
    lines = difference("\n".join(old), "\n".join([*old[:10], "new", *old[11:]]))
    assert lines[0] == ("…", "7 unchanged lines")
    assert lines[-1] == ("…", "6 unchanged lines")
    assert ("−", "10") in lines
    assert ("+", "new") in lines


def test_text_of_similar_lines_is_shown_as_deleted_and_inserted_without_a_long_comparison() -> None:
    before, after = "a\nb\n" * 10_000, "b\na\na\n" * 7_000
    lines = difference(before, after)
    assert {sign for sign, _ in lines} <= {"−", "+", " ", "…"}
    assert sum(1 for sign, _ in lines if sign == "−") > 19_000


def test_schemas_differ_by_lines() -> None:
    assert ("+", '  "required": []') in difference({"type": "object"}, {"type": "object", "required": []})


def test_changed_words_are_marked_in_similar_lines_only() -> None:
    lines = difference("Be a kind\nlibrarian, please.\nUse tools.", "Be a careful\nlibrarian.\nUse tools.")
    assert marked_words(lines) == [
        ("−", [(False, "Be a "), (True, "kind")]),
        ("−", [(False, "librarian"), (True, ", please"), (False, ".")]),
        ("+", [(False, "Be a "), (True, "careful")]),
        ("+", [(False, "librarian"), (False, ".")]),
        (" ", [(False, "Use tools.")]),
    ]
    assert marked_words([("−", "One two three"), ("+", "Something else")])[0] == ("−", [(False, "One two three")])

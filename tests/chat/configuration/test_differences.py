"""How two values differ: nothing is lost, nothing is made up, and nobody waits for it."""
from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chat.configuration import difference
from chat.configuration.text_diff import AROUND

LINES = st.lists(st.sampled_from("abc"), max_size=40)


@given(LINES, LINES)
def test_the_signs_account_for_every_line_of_both(before: list[str], after: list[str]) -> None:
    told = difference(before, after)
    left_out = sum(int(line.split()[0]) for sign, line in told if sign == "…")
    alike = sum(1 for sign, _ in told if sign == " ") + left_out
    if before == after:
        assert told == []
    else:
        assert alike + sum(1 for sign, _ in told if sign == "−") == len(before)
        assert alike + sum(1 for sign, _ in told if sign == "+") == len(after)


@given(LINES, LINES)
def test_only_what_is_near_a_difference_is_shown(before: list[str], after: list[str]) -> None:
    told = difference(["x"] * 20 + before, ["x"] * 20 + after)
    run = 0
    for sign, _ in told:
        run = run + 1 if sign == " " else 0
        assert run <= 2 * AROUND


def test_lines_far_from_any_difference_are_counted() -> None:
    old = [str(number) for number in range(20)]
    told = difference("\n".join(old), "\n".join([*old[:10], "new", *old[11:]]))
    assert told[0] == ("…", "7 unchanged lines")
    assert told[-1] == ("…", "6 unchanged lines")
    assert ("−", "10") in told
    assert ("+", "new") in told


def test_a_text_of_like_lines_is_told_as_gone_and_come_instead_of_being_compared_for_minutes() -> None:
    before, after = "a\nb\n" * 10_000, "b\na\na\n" * 7_000
    told = difference(before, after)
    assert {sign for sign, _ in told} <= {"−", "+", " ", "…"}
    assert sum(1 for sign, _ in told if sign == "−") > 19_000


def test_a_schema_differs_by_its_lines() -> None:
    assert ("+", '  "required": []') in difference({"type": "object"}, {"type": "object", "required": []})

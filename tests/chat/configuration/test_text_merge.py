"""Three-way merge of texts: no change is lost, and overlapping changes are marked."""
from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chat.configuration.text_merge import has_conflict_marks, merge_texts

TEXTS = st.lists(st.sampled_from("abc"), max_size=12).map("\n".join)


def test_changes_of_other_lines_are_merged_and_overlapping_ones_are_marked() -> None:
    assert merge_texts("a\nb\nc", mine="A\nb\nc", theirs="a\nb\nC\nd") == ("A\nb\nC\nd", True)
    overlapping = merge_texts("a\nb", mine="x\nb", theirs="y\nb")
    assert overlapping == ("<<<<<<< mine\nx\n=======\ny\n>>>>>>> theirs\nb", False)
    assert has_conflict_marks(overlapping.text)


@given(TEXTS, TEXTS)
def test_change_of_one_side_is_taken(base: str, changed: str) -> None:
    for mine, theirs in ((base, changed), (changed, base), (changed, changed)):
        assert merge_texts(base, mine=mine, theirs=theirs) == (changed, True)

"""Combinations of alphabets in user names."""

from __future__ import annotations

import pytest

from accounts.sign_in.usernames import mixes_scripts


@pytest.mark.parametrize(
    "name",
    ["ada", "ada.lovelace+1@x-y_z", "Zoë", "\u0430нна7", "Ελένη", "山田", "やまだタロウー", "山田ami々",
     "김철수", "金철수kim", "ㄅㄆ字",
     "محمد\u0663", "דוד"],
)  # fmt: skip
def test_name_in_one_script_or_a_usual_combination_is_accepted(name: str) -> None:
    assert not mixes_scripts(name)


@pytest.mark.parametrize(
    "name", ["\u0430da", "ad\u0430", "p\u03bfl", "\u0430\u03bf", "カ\u0430", "やま김", "ada\u0663"], ids=ascii
)
def test_name_that_mixes_scripts_is_refused(name: str) -> None:
    assert mixes_scripts(name)

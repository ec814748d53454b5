"""Which locale a user has."""
from __future__ import annotations

import pytest

from shared.locales.tags import TAGS, choose_tag


@pytest.mark.parametrize(
    ("chosen", "page", "accepted", "tag"),
    [
        ("de-CH", "en", "en-US,en;q=0.9", "de-CH"),
        ("", "en", "de-DE,de;q=0.9,en-GB;q=0.8", "en-GB"),
        ("", "de", "de-AT,de;q=0.9", "de-AT"),
        ("", "de", "en-GB,en;q=0.9", "de"),
        ("", "en", "fr-FR", "en"),
        ("", "en", "en-XX, en;q=0.9", "en"),
        ("", "en", "en-GB;q=0, *", "en"),
        ("PT-br", "en", "", "pt-BR"),
        ("de-LI", "en", "", "de"),
        ("zh-Hant-TW", "en", "", "zh-Hant"),
        ("xx", "de", "", "de"),
        ("", "xx", "", "en"),
    ],
)
def test_the_locale_is_the_one_of_the_profile_then_the_region_in_the_language_of_the_page(
    chosen: str, page: str, accepted: str, tag: str
) -> None:
    assert choose_tag(chosen=chosen, page=page, accepted=accepted) == tag
    assert tag in TAGS.values()

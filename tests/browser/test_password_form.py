"""What is wrong with a password stands beside the field where it is chosen, and is told of that field."""
from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.browser.app_process import RunningApp

OWN = "a password of my own"


@dataclass
class Choice:
    """A page where a password is chosen: the field for it, that for it once more, and how both are sent."""

    page: Page
    first: str
    second: str
    send: str

    def field(self, label: str) -> Locator:
        return self.page.get_by_label(label, exact=True)

    def choose(self, first: str, second: str) -> None:
        self.field(self.first).fill(first)
        self.field(self.second).fill(second)
        self.page.get_by_role("button", name=self.send).click()


@pytest.fixture(params=["setting one", "signing up"])
def choice(request: pytest.FixtureRequest, app: RunningApp, open_page: Callable[..., Page]) -> Choice:
    """Of somebody who has no password yet."""
    if request.param == "signing up":
        page = open_page(f"{app.address}/sign-up/")
        page.get_by_label("Name", exact=True).fill(f"maya_{uuid.uuid4().hex[:8]}")
        return Choice(page, "Password", "Confirm password", "Create account")
    page = open_page(sign_in=app.link_for_new_user())
    page.goto(f"{app.address}/profile/password/set/")
    return Choice(page, "New password", "Confirm new password", "Set password")


def box(part: Locator) -> FloatRect:
    found = part.bounding_box()
    assert found is not None
    return found


def refused_at(choice: Choice, wrong: str, *, right: str, words: str) -> None:
    """It is said right below the one field and nowhere else, and whoever hears that field hears it, too."""
    field, other = choice.field(wrong), choice.field(right)
    expect(field).to_have_accessible_description(re.compile(words))
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(other).not_to_have_attribute("aria-invalid", "true")
    said = choice.page.get_by_role("alert")
    expect(said).to_have_count(1)
    expect(said).to_contain_text(re.compile(words))
    place, below, elsewhere = box(field), box(said), box(other)
    assert 0 <= below["y"] - place["y"] - place["height"] < place["height"]
    assert place["x"] <= below["x"] + 1 < place["x"] + place["width"]
    # No other field stands between them.
    assert not (place["x"] == elsewhere["x"] and place["y"] < elsewhere["y"] < below["y"])


def test_a_password_that_everybody_has_is_refused_where_it_is_chosen(choice: Choice) -> None:
    choice.choose("12345678", "12345678")
    refused_at(choice, choice.first, right=choice.second, words="too common")


def test_two_that_differ_are_refused_where_it_is_written_again_and_two_that_do_not_are_taken(choice: Choice) -> None:
    choice.choose(OWN, "another of my own")
    refused_at(choice, choice.second, right=choice.first, words="same password")
    choice.choose(OWN, OWN)
    expect(choice.page.get_by_role("alert")).to_have_count(0)
    expect(choice.page.get_by_role("button", name="Create account")).to_have_count(0)

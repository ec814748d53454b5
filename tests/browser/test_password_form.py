"""Password errors are shown beside their field and are part of its accessible description."""
from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.browser.app_process import RunningApp

PASSWORD = "a password of my own"


@dataclass
class PasswordForm:
    """A page with a new password form: the labels of both fields and of the button."""

    page: Page
    first: str
    second: str
    send: str

    def field(self, label: str) -> Locator:
        return self.page.get_by_label(label, exact=True)

    def submit(self, first: str, second: str) -> None:
        self.field(self.first).fill(first)
        self.field(self.second).fill(second)
        self.page.get_by_role("button", name=self.send).click()


@pytest.fixture(params=["setting one", "signing up"])
def form(request: pytest.FixtureRequest, app: RunningApp, open_page: Callable[..., Page]) -> PasswordForm:
    """A form for a user who has no password yet."""
    if request.param == "signing up":
        page = open_page(f"{app.address}/sign-up/")
        page.get_by_label("Username").fill(f"maya_{uuid.uuid4().hex[:8]}")
        return PasswordForm(page, "Password", "Confirm password", "Create account")
    page = open_page(sign_in=app.link_for_new_user())
    page.goto(f"{app.address}/profile/password/set/")
    return PasswordForm(page, "New password", "Confirm new password", "Set password")


def box(element: Locator) -> FloatRect:
    found = element.bounding_box()
    assert found is not None
    return found


def expect_error_at(form: PasswordForm, wrong: str, *, right: str, words: str) -> None:
    """Expect the error directly below the wrong field only, and in its accessible description."""
    field, other = form.field(wrong), form.field(right)
    expect(field).to_have_accessible_description(re.compile(words))
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(other).not_to_have_attribute("aria-invalid", "true")
    error = form.page.get_by_role("alert")
    expect(error).to_have_count(1)
    expect(error).to_contain_text(re.compile(words))
    field_box, error_box, other_box = box(field), box(error), box(other)
    assert 0 <= error_box["y"] - field_box["y"] - field_box["height"] < field_box["height"]
    assert field_box["x"] <= error_box["x"] + 1 < field_box["x"] + field_box["width"]
    # The other field is not between them.
    assert not (field_box["x"] == other_box["x"] and field_box["y"] < other_box["y"] < error_box["y"])


def test_password_errors_are_shown_at_their_field_and_equal_passwords_are_accepted(form: PasswordForm) -> None:
    form.submit("12345678", "12345678")
    expect_error_at(form, form.first, right=form.second, words="too common")
    form.submit(PASSWORD, "another of my own")
    expect_error_at(form, form.second, right=form.first, words="same password")
    form.submit(PASSWORD, PASSWORD)
    expect(form.page.get_by_role("alert")).to_have_count(0)
    expect(form.page.get_by_role("button", name="Create account")).to_have_count(0)

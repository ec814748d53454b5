"""Passkeys with the virtual authenticator of Chromium: adding one, signing in with it, and as second factor."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.app_process import RunningApp

PASSWORD = "a password of my own"
DEVICE = {
    "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
    "isUserVerified": True, "automaticPresenceSimulation": True,
}  # fmt: skip


def test_a_passkey_is_added_and_signs_in(app: RunningApp, open_page: Callable[..., Page]) -> None:
    # A passkey belongs to a domain name and does not work with an IP address.
    address = app.address.replace("127.0.0.1", "localhost")
    page = open_page(f"{address}/sign-up/")
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    session.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
    page.get_by_label("Username").fill("passkey_owner")
    for field in ("Password", "Confirm password"):
        page.get_by_label(field, exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    expect(page).to_have_url(re.compile("/tables/$"))

    page.goto(f"{address}/profile/second-step/passkeys/add/")
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("Passkey name").fill("My laptop")
    page.get_by_role("button", name="Add passkey").click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    page.goto(f"{address}/profile/second-step/")
    expect(page.get_by_text("My laptop")).to_be_visible()

    page.context.clear_cookies()
    page.goto(f"{address}/sign-in/?next=/profile/")
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_text("You sign in as passkey_owner.")).to_be_visible()

    page.context.clear_cookies()
    page.goto(f"{address}/sign-in/?next=/profile/")
    page.get_by_label("Username").fill("passkey_owner")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_text("You sign in as passkey_owner.")).to_be_visible()

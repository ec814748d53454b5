"""States of the account pages, shared tables and error pages."""
from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import expect

from tests.browser.small_table import send, share_table
from tests.browser.states.stage import Stage, State, as_success

PASSWORD = "a password of my own"
RENDER_ERROR = "from django.template.loader import render_to_string; print(render_to_string('{status}.html'))"

# Pages that are only opened by a link in a mail.
RENDER_MAIL_PAGE = """
from allauth.account.forms import ResetPasswordKeyForm
from django.contrib.auth.models import User
from django.template.loader import render_to_string
user = User(username="maya")
context = {{"form": ResetPasswordKeyForm(user=user), "email": "maya@example.org", "action_url": ""}}
print(render_to_string("account/{name}.html", context))
"""


def sign_in_pages(stage: Stage) -> Iterator[State]:
    """Sign-in, its failures, and the error pages."""
    page = stage.open("/sign-in/")
    yield State("sign-in", page)
    page.get_by_label("Username").fill("unknown")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    yield State("sign-in-refused", page)
    page.get_by_role("link", name="Forgot your password?").click()
    expect(page.get_by_role("heading", name="Forgot your password?")).to_be_visible()
    yield State("forgotten", page)
    page.get_by_label("E-mail address").fill("unknown@example.org")
    page.get_by_role("button", name="Send link").click()
    expect(page.get_by_role("heading", name="Check your e-mail")).to_be_visible()
    yield State("forgotten-sent", page)
    page.get_by_role("link", name="Back to sign-in").click()
    page.get_by_role("link", name="Create an account").click()
    expect(page.get_by_role("heading", name="Create an account")).to_be_visible()
    yield State("sign-up", page)
    page.get_by_label("Username").fill("..")
    page.get_by_label("Password", exact=True).fill("12345678")
    page.get_by_label("Confirm password").fill("12345678")
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_role("alert").first).to_be_visible()
    yield State("sign-up-refused", page)
    as_success(page, "/sign-in/link/not-one/")
    yield State("link-expired", page)
    for name in ("password_reset_from_key", "email_confirm"):
        script = RENDER_MAIL_PAGE.format(name=name)
        as_success(page, f"/{name}/", body=stage.app.manage("shell", "--no-imports", "-c", script))
        yield State(name.replace("_", "-"), page)
    # The others differ from these, from the expired link and from the page that does not exist in their texts only.
    for status in ("403_csrf", 500):
        body = stage.app.manage("shell", "--no-imports", "-c", RENDER_ERROR.format(status=status))
        as_success(page, f"/error-{status}/", body=body)
        yield State(f"error-{status}", page)


def shared_tables(stage: Stage) -> Iterator[State]:
    """Another user's table by link, by invitation and as a viewer; and the page for objects without access."""
    owner = stage.open_blank()
    table = stage.open_table(owner)
    api = f"/api{table.removeprefix(stage.app.address)}"
    link = send(owner, "POST", f"{api}link/", {})["url"]
    yield State("shared-page", stage.open(link=link))
    invitation = send(owner, "POST", f"{api}members/", {"kind": "link", "role": "viewer"})["url"]
    member = stage.open_blank()
    share_table(owner, member, table, role="editor")
    mistyped = {"kind": "user", "name": "<i>a\u202ename</i> that is long for one", "role": "editor"}
    send(owner, "POST", f"{api}members/", mistyped)
    owner.goto(f"{table}sharing/")
    owner.get_by_role("button", name="Create invitation link").click()
    expect(owner.get_by_label("Link", exact=True)).to_be_visible()
    yield State("sharing", owner)
    owner.goto(f"{table}sharing/")
    owner.get_by_role("button", name="Transfer ownership").click()
    expect(owner.get_by_role("link", name="Cancel")).to_be_visible()
    yield State("sharing-given", owner)
    page = stage.open_blank()
    page.goto(link)
    yield State("shared-page-signed-in", page)
    name = send(page, "GET", "/api/me/")["username"]
    send(owner, "POST", f"{api}members/", {"kind": "user", "name": name, "role": "viewer"})
    page.goto(f"{stage.app.address}/tables/")
    expect(page.get_by_role("button", name="Decline the invitation")).to_be_visible()
    yield State("invited", page)
    page.goto(invitation)
    yield State("invitation", page)
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("gridcell", name="Acme", exact=True)).to_be_visible()
    yield State("table-read-only", page)
    owner.goto(table)
    expect(owner.locator(".avatars .avatar--other")).to_be_visible()
    yield State("presence", owner)
    page.goto(f"{table}sharing/")
    yield State("sharing-member", page)
    as_success(page, "/tables/999999/")
    yield State("error-404", page)
    as_success(page, invitation.removeprefix(stage.app.address))
    yield State("invitation-used", page)


def profile_pages(stage: Stage) -> Iterator[State]:
    """The profile pages and the documentation of the API."""
    page = stage.open_as_new_user("/profile/")
    yield State("profile", page)
    page.get_by_label("Time zone").fill("Nowhere")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("alert")).to_be_visible()
    yield State("profile-refused", page)
    page.goto(page.url)
    page.get_by_label("Token name").fill("Nightly report")
    page.get_by_role("button", name="Create token").click()
    expect(page.get_by_label("New token")).to_be_visible()
    yield State("profile-token", page)
    page.get_by_role("link", name="Show sessions").click()
    expect(page.get_by_role("button", name="Sign out everywhere")).to_be_visible()
    yield State("sign-ins", page)
    page.goto(f"{stage.app.address}/profile/password/set/")
    yield State("set-password", page)
    for field in ("New password", "Confirm new password"):
        page.get_by_label(field, exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Set password").click()
    page.get_by_role("link", name="Change password").click()
    yield State("change-password", page)
    page.goto(f"{stage.app.address}/profile/address/")
    page.get_by_label("E-mail address").fill("maya@example.org")
    page.get_by_role("button", name="Send link").click()
    page.get_by_label("Your password").fill("wrong")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("alert")).to_be_visible()
    yield State("sign-in-again", page)
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("button", name="Resend link")).to_be_visible()
    yield State("address-waits", page)
    for name in ("", "app/", "passkeys/add/"):
        page.goto(f"{stage.app.address}/profile/second-step/{name}")
        yield State(f"second-step-{name.split('/')[0] or 'list'}", page)
    page.goto(f"{stage.app.address}/sign-out/")
    yield State("sign-out", page)
    page.goto(f"{stage.app.address}/profile/")
    page.get_by_role("link", name="Delete my account").click()
    page.get_by_label("Type your username").fill("other")
    page.get_by_label("Your password").fill("wrong")
    page.get_by_role("button", name="Delete my account").click()
    expect(page.get_by_role("alert")).to_be_visible()
    yield State("delete-account-refused", page)
    page.goto(f"{stage.app.address}/api/docs/")
    yield State("api-docs", page)

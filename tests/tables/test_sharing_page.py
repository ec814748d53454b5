"""The sharing page without scripts: members, links and transfers for owners, leaving for members."""
from __future__ import annotations

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from tables.models import Invitation, Member, ReadOnlyLink
from tests.captured_queries import CapturedQueries
from tests.conftest import Api
from tests.tables.shared_table import make_table, share

SECRET = re.compile(r'id="secret" value="http://testserver([^"]+)"')


@pytest.fixture
def table(api: Api) -> str:
    return make_table(api)


def page_of(table: str) -> str:
    return f"{table.removeprefix('/api')}sharing/"


def page_text(api: Api, table: str) -> str:
    return unescape(api.client.get(page_of(table)).content.decode())


def submit(api: Api, table: str, action: str, **fields: Any) -> Any:
    """Submit a form of the page and return the response."""
    return api.client.post(page_of(table), {"do": action, **fields})


def submit_and_follow(api: Api, table: str, action: str, **fields: Any) -> str:
    """Submit a form and return the content of the page it redirects to."""
    answer = submit(api, table, action, **fields)
    assert (answer.status_code, answer.headers["Location"]) == (302, page_of(table))
    return page_text(api, table)


def members(api: Api, table: str) -> list[tuple[str, str]]:
    return [(member["user"], member["role"]) for member in api.get(f"{table}members/").json()["members"]]


def test_members_are_invited_changed_and_removed(api: Api, other_api: Api, table: str) -> None:
    assert "Invitation sent to “grace”." in submit_and_follow(api, table, "invite", name=" grace ", role="viewer")
    assert 'name="do" value="give"' not in page_text(api, table)
    other_api.client.post("/tables/", {"do": "accept", "invitation": Invitation.objects.get().pk})
    assert other_api.get(table).json()["role"] == "viewer"
    assert "Saved." in submit_and_follow(api, table, "role", user="grace", role="editor")
    assert other_api.get(table).json()["role"] == "editor"
    assert "no longer shared with grace" in submit_and_follow(api, table, "remove", user="grace")
    assert (other_api.get(table).status_code, members(api, table)) == (404, [])


def test_the_page_does_not_reveal_existing_names(api: Api, other_user: User, table: str) -> None:
    pages = []
    for name in ("grace", "walter"):
        content = submit_and_follow(api, table, "invite", name=name, role="viewer")
        key = str(Invitation.objects.get().pk)
        content = re.sub(r"csrfmiddlewaretoken\W[^>]+|datetime=\"[^\"]+\"", "", content).replace(name, "…")
        pages.append(re.sub(rf"(invited-|\"invitation\" value=\"){key}\b", "", content))
        submit_and_follow(api, table, "withdraw", invitation=key)
        page_text(api, table)
    assert pages[0] == pages[1]


def test_an_invitation_link_is_shown_once_and_can_be_withdrawn(api: Api, other_api: Api, table: str) -> None:
    answer = submit(api, table, "invite_by_link", role="editor", days="30")
    path = SECRET.findall(answer.content.decode())[0]
    assert (answer.status_code, "no-store" in answer["Cache-Control"]) == (200, True)
    assert Invitation.objects.get().expires_at > timezone.now() + timedelta(days=29)
    assert path not in page_text(api, table)
    assert other_api.get(path).status_code == 200
    assert "withdrawn" in submit_and_follow(api, table, "withdraw", invitation=Invitation.objects.get().pk)
    assert other_api.get(path).status_code == 410


def test_an_expired_invitation_is_marked_and_can_be_renewed(api: Api, table: str) -> None:
    submit_and_follow(api, table, "invite", name="mistyped", role="viewer")
    page = page_text(api, table)
    assert ('<span class="tag">Invited</span>' in page, 'value="renew"' in page) == (True, False)
    Invitation.objects.update(expires_at=timezone.now() - timedelta(days=1))
    page = page_text(api, table)
    assert ('<span class="tag">Expired</span>' in page, 'value="renew"' in page) == (True, True)
    page = submit_and_follow(api, table, "renew", invitation=Invitation.objects.get().pk)
    assert ("Invitation sent to “mistyped”." in page, '<span class="tag">Invited</span>' in page) == (True, True)


@pytest.mark.parametrize(("days", "lifetime"), [("", None), ("7", timedelta(days=7))])
def test_a_reading_link_is_created_shown_once_and_removed(
    api: Api, anonymous_api: Api, table: str, days: str, lifetime: timedelta | None
) -> None:
    before = timezone.now()
    path = SECRET.findall(submit(api, table, "link", days=days).content.decode())[0]
    assert anonymous_api.get(path).status_code == 200
    until = ReadOnlyLink.objects.get().expires_at
    assert until is None if lifetime is None else before + lifetime <= until <= timezone.now() + lifetime
    page = page_text(api, table)
    assert (path in page, "Link created on" in page, "Valid until" in page) == (False, True, lifetime is not None)
    assert "Link removed" in submit_and_follow(api, table, "unlink")
    assert anonymous_api.get(path).status_code == 404


def test_a_transfer_needs_a_confirmation(api: Api, other_api: Api, table: str) -> None:
    share(api, table, other_api, role="viewer")
    response = submit(api, table, "give", user="grace")
    assert (response.status_code, "Transfer “Jobs” to grace?" in response.content.decode()) == (200, True)
    assert api.get(table).json()["role"] == "owner"
    page = submit_and_follow(api, table, "give", user="grace", sure="1")
    assert "“Jobs” now belongs to grace. You can still edit it." in page
    assert "grace shares this table with you" in page
    assert [client.get(table).json()["role"] for client in (api, other_api)] == ["editor", "owner"]
    assert members(other_api, table) == [("ada", "editor")]


def test_transfers_to_non_members_are_refused(api: Api, other_user: User, table: str) -> None:
    for name in ("grace", "walter", "ada"):
        assert "to a member who can sign in" in submit_and_follow(api, table, "give", user=name, sure="1")
    assert api.get(table).json()["role"] == "owner"


def test_leaving_shows_its_consequences_first(api: Api, other_api: Api, table: str) -> None:
    share(api, table, other_api, role="editor")
    assert "Only ada can share it with you again" in page_text(other_api, table)
    answer = submit(other_api, table, "leave")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/tables/")
    assert "You have left “Jobs”." in unescape(other_api.client.get("/tables/").content.decode())
    assert (other_api.get(table).status_code, members(api, table)) == (404, [])


def test_the_owner_cannot_leave(api: Api, other_api: Api, table: str) -> None:
    share(api, table, other_api, role="viewer")
    assert ('value="leave"' in page_text(api, table), 'value="leave"' in page_text(other_api, table)) == (False, True)
    assert submit(api, table, "leave").status_code == 404
    assert api.get(table).json()["role"] == "owner"


OWNER_ACTIONS = ("role", "remove", "invite", "invite_by_link", "renew", "withdraw", "link", "unlink", "give")
FIELDS = {"user": "walter", "name": "walter", "role": "viewer", "invitation": "1", "days": "7", "sure": "1"}


@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_members_cannot_use_actions_of_the_owner(api: Api, other_api: Api, table: str, role: str) -> None:
    share(api, table, other_api, role=role)
    share(api, table, Api(User.objects.create_user("walter")), role="viewer")
    submit(api, table, "link", days="")
    submit(api, table, "invite_by_link", role="viewer")
    Invitation.objects.update(expires_at=timezone.now())
    before = api.get(f"{table}members/").json()
    pages = [page_text(client, table) for client in (api, other_api)]
    for action in OWNER_ACTIONS:
        assert [f'value="{action}"' in page for page in pages] == [True, False], action
        assert submit(other_api, table, action, **FIELDS).status_code == 403, action
    assert submit(other_api, table, "give", user="walter").status_code == 403
    assert api.get(f"{table}members/").json() == before


def test_inaccessible_and_missing_tables_get_the_same_404(api: Api, other_api: Api, table: str) -> None:
    for action in (*OWNER_ACTIONS, "leave"):
        answers = [submit(other_api, address, action, **FIELDS) for address in (table, "/api/tables/987654/")]
        assert [response.status_code for response in answers] == [404, 404], action


UNKNOWN_FORMS: tuple[dict[str, str], ...] = (
    {"do": ""}, {"do": "own"}, {"do": "invite_by_link", "role": "owner"},
    {"do": "invite", "name": "grace", "role": "owner"}, {"do": "renew", "invitation": "7"},
    {"do": "invite", "name": "grace", "role": "viewer", "days": "2"},
    {"do": "link", "days": "8"}, {"do": "link", "days": "-1"}, {"do": "withdraw", "invitation": "x"},
    {"do": "withdraw", "invitation": "9" * 40}, {"do": "role", "user": "walter", "role": "editor"},
    {"do": "remove", "user": "walter"},
)  # fmt: skip


def test_unknown_forms_are_404(api: Api, table: str) -> None:
    before = api.get(f"{table}members/").json()
    for fields in UNKNOWN_FORMS:
        assert api.client.post(page_of(table), fields).status_code == 404, fields
    assert api.get(f"{table}members/").json() == before


@pytest.mark.parametrize("name", ["", "   ", "x" * 151, "gr\x00ace"])
def test_invalid_names_are_refused_with_the_reason(api: Api, table: str, name: str) -> None:
    assert 'role="alert"' in submit_and_follow(api, table, "invite", name=name, role="viewer")
    assert Invitation.objects.count() == 0


def test_names_are_escaped_and_hidden_characters_marked(api: Api, table: str) -> None:
    api.patch(table, {"name": "<b>J\u202eobs</b>{{ x }}"})
    submit_and_follow(api, table, "invite", name="<i>\u200bmallory</i>", role="viewer")
    page = api.client.get(page_of(table)).content.decode()
    assert "<b>J" not in page
    assert "<i>" not in page
    assert "U+200B" in page
    assert "U+202E" in page


def test_queries_do_not_grow_with_the_members(
    api: Api, other_api: Api, table: str, make_user: Any
) -> None:
    share(api, table, other_api, role="viewer")
    page_text(api, table)
    with CapturedQueries() as one:
        page_text(api, table)
    for number in range(5):
        share(api, table, Api(make_user(f"member{number}")), role="editor")
        submit_and_follow(api, table, "invite", name=f"invited {number}", role="editor")
    with CapturedQueries() as many:
        page = page_text(api, table)
    assert ("member4" in page, "invited 4" in page) == (True, True)
    assert len(many) == len(one)


@pytest.mark.slow
def test_members_are_paged(api: Api, table: str) -> None:
    people = User.objects.bulk_create(User(username=f"member {number}") for number in range(101))
    Member.objects.bulk_create(
        Member(table_id=int(table.split("/")[3]), user=person, role="viewer") for person in people
    )
    first = page_text(api, table)
    second = unescape(api.client.get(f"{page_of(table)}?page=2").content.decode())
    assert ("<b>member 99</b>" in first, "<b>member 100</b>" in first) == (True, False)
    assert ("<b>member 99</b>" in second, "<b>member 100</b>" in second) == (False, True)
    assert api.client.get(f"{page_of(table)}?page=x").status_code == 200


def test_anonymous_users_are_redirected_to_sign_in(anonymous_api: Api, table: str) -> None:
    assert anonymous_api.get(page_of(table)).headers["Location"] == f"/sign-in/?next={page_of(table)}"


def test_viewers_get_another_chat_prompt(api: Api, other_api: Api, table: str) -> None:
    share(api, table, other_api, role="viewer")
    prompt = "Ask, or describe a change"
    page = table.removeprefix("/api")
    reads, changes = (unescape(each.client.get(page).content.decode()) for each in (other_api, api))
    assert (prompt in reads, prompt in changes) == (False, True)
    assert ("You can view this table, but not change it." in reads, "Or describe a change." in reads) == (True, False)

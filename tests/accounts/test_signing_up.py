"""Sign-up, where it is allowed."""
from __future__ import annotations

from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.auth import get_user
from django.contrib.auth.models import User
from django.test import Client

from tests.conftest import Api
from tests.tables.shared_table import invite_user, make_table

pytestmark = pytest.mark.django_db

PAGE = "/sign-up/"
PASSWORD = "correct horse battery"
FIELDS = {"username": "maya", "password1": PASSWORD, "password2": PASSWORD}


def sign_up(client: Client | None = None, **fields: Any) -> Any:
    return (client or Client()).post(PAGE, {**FIELDS, **fields})


def test_sign_up_creates_an_account_and_signs_in(client: Client) -> None:
    answer = sign_up(client, next="/profile/")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/profile/")
    user = get_user(client)  # type: ignore[arg-type]  # the test client has what get_user asks for
    assert (user.get_username(), user.is_staff, user.is_superuser) == ("maya", False, False)
    assert Client().login(username="maya", password=PASSWORD)
    assert UserSession.objects.filter(user_id=user.pk).count() == 2


def test_page_does_not_exist_where_sign_up_is_not_allowed(settings: Any) -> None:
    settings.ALLOW_SIGNUP = False
    assert [Client().get(PAGE).status_code, sign_up().status_code, User.objects.count()] == [404, 404, 0]
    assert PAGE not in Client().get("/sign-in/").content.decode()


def test_sign_in_and_sign_up_link_to_each_other_with_the_next_url() -> None:
    sign_in, back = (Client().get(page, {"next": "/shared/a/"}).content.decode() for page in ("/sign-in/", PAGE))
    assert (f'href="{PAGE}?next=/shared/a/"' in sign_in, 'href="/sign-in/?next=/shared/a/"' in back) == (True, True)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"username": ""}, "Enter a name."),
        ({"username": "may a"}, "letters, digits and"),
        ({"username": ".."}, "a letter or digit"),
        ({"username": "x" * 151}, "at most 150 characters"),
        ({"username": "m\x00"}, "Null characters"),
        ({"username": "ADA"}, "This name is taken."),
        ({"username": "\u0430da"}, "one alphabet"),
        ({"username": "eve@example.org"}, "cannot be an e-mail address"),
        ({"username": "eve\u1160"}, "letters, digits and"),
        ({"username": "\u3164"}, "letters, digits and"),
        ({"password1": "", "password2": ""}, "Enter a password"),
        ({"password1": "12345678", "password2": "12345678"}, "too common"),
        ({"password2": "something else"}, "same password"),
        ({"password1": "maya1", "password2": "maya1"}, "too short"),
    ],
    ids=str,
)
def test_invalid_field_shows_its_error(user: User, wrong: dict[str, str], error: str) -> None:
    answer = sign_up(**wrong)
    text = answer.content.decode()
    assert (answer.status_code, error in text, 'aria-invalid="true"' in text) == (422, True, True)
    assert [account.username for account in User.objects.all()] == ["ada"]
    assert PASSWORD not in text


def test_form_sets_only_name_and_password() -> None:
    sign_up(is_staff="on", is_superuser="on", email="root@example.com")
    user = User.objects.get()
    assert (user.is_staff, user.is_superuser, user.email) == (False, False, "")


def test_redirect_to_another_site_is_ignored() -> None:
    assert sign_up(next="//elsewhere.example/").headers["Location"] == "/tables/"


def test_signed_in_user_is_redirected(api: Api) -> None:
    answers = [api.client.get(PAGE), sign_up(api.client)]
    assert [answer.headers["Location"] for answer in answers] == ["/tables/"] * 2
    assert User.objects.count() == 1


def test_checks_of_taken_names_are_limited(user: User) -> None:
    answers = [sign_up(username="ada") for _ in range(11)]
    assert [answer.status_code for answer in answers] == [422] * 10 + [429]
    assert "Too many attempts" in answers[10].content.decode()


def test_new_user_does_not_get_invitations_sent_to_the_name_before(api: Api, client: Client) -> None:
    table = make_table(api)
    invited = invite_user(api, table, "maya", role="editor").json()["id"]
    sign_up(client)
    assert Api(User.objects.get(username="maya")).post(f"/api/tables/invitations/{invited}/accept/").status_code == 404
    assert (client.get(table).status_code, client.get("/api/tables/").json()["count"]) == (404, 0)


def test_forms_require_a_csrf_token() -> None:
    assert sign_up(Client(enforce_csrf_checks=True)).status_code == 403
    assert User.objects.count() == 0

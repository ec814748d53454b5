"""The profile page without scripts: profile fields and API tokens."""
from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from accounts.models import ApiToken
from accounts.tokens import create_token
from tests.conftest import Api

PAGE = "/profile/"
FIELDS = {"name": "Ada Lovelace", "theme": "dark", "time_zone": "Europe/Paris", "locale": "pt-BR", "language": "de"}
PASSWORD = "correct horse battery"


def send(api: Api, do: str, **fields: Any) -> Any:
    """Post one of the page's forms, as a browser without scripts does."""
    return api.client.post(PAGE, {"do": do, **fields})


def page(api: Api) -> str:
    return api.get(PAGE).content.decode()


def secret_in(text: str) -> str:
    return re.findall(r'id="secret" value="([^"]+)"', text)[0]


def test_fields_are_saved_and_shown(api: Api) -> None:
    answer = send(api, "change", **FIELDS)
    assert (answer.status_code, answer.headers["Location"]) == (302, PAGE)
    shown = page(api)
    stored = api.get("/api/me/").json()
    assert {name: stored[name] for name in FIELDS} == FIELDS
    assert [value for value in FIELDS.values() if f'value="{value}"' not in shown] == []
    assert 'data-theme="dark"' in shown


@pytest.mark.parametrize(
    ("field", "value"), [("name", "x" * 151), ("theme", "blue"), ("time_zone", "Mars/Base"), ("locale", "english!")]
)
def test_invalid_field_shows_its_error_and_keeps_the_input(api: Api, field: str, value: str) -> None:
    answer = send(api, "change", **{**FIELDS, field: value})
    text = answer.content.decode()
    assert (answer.status_code, text.count("field__fault"), api.get("/api/me/").json()["name"]) == (422, 1, "")
    assert "Ada Lovelace" in text or field == "name"


def test_token_is_created_shown_once_and_works(api: Api) -> None:
    answer = send(api, "make_token", token_name="Nightly report", scope="write", days="30")
    assert "no-store" in answer.headers["Cache-Control"]
    secret = secret_in(answer.content.decode())
    used = Client().get("/api/me/", headers={"Authorization": f"Bearer {secret}"})
    assert (used.status_code, used.json()["username"]) == (200, "ada")
    shown = page(api)
    assert ("Nightly report" in shown, "Read and write" in shown, secret in shown) == (True, True, False)
    left = ApiToken.objects.get().expires_at - timezone.now()
    assert timedelta(days=29) < left < timedelta(days=31)


@pytest.mark.parametrize(
    "wrong",
    [{"token_name": " "}, {"scope": "all"}, {"days": "0"}, {"days": "x"}, {"days": "400"}, {"token_name": "x" * 101}],
    ids=str,
)
def test_invalid_token_is_refused_with_an_error(api: Api, wrong: dict[str, str]) -> None:
    answer = send(api, "make_token", **{"token_name": "Report", "scope": "read", "days": "30", **wrong})
    text = answer.content.decode()
    assert (answer.status_code, "field__fault" in text, ApiToken.objects.count()) == (422, True, 0)


def test_revoked_token_is_refused(api: Api, user: User) -> None:
    token, secret = create_token(user=user, name="Report", now=timezone.now())
    assert send(api, "revoke", token=str(token.pk)).status_code == 302
    assert Client().get("/api/me/", headers={"Authorization": f"Bearer {secret}"}).status_code == 401
    assert "Report" not in page(api)


@pytest.mark.parametrize("named", ["theirs", "0", "9" * 40, "x", ""])
def test_token_of_another_user_does_not_exist(api: Api, other_user: User, named: str) -> None:
    token, _ = create_token(user=other_user, name="Theirs", now=timezone.now())
    answer = send(api, "revoke", token=str(token.pk) if named == "theirs" else named)
    assert (answer.status_code, ApiToken.objects.count(), "Theirs" in page(api)) == (404, 1, False)


def test_token_names_are_shown_as_text(api: Api, user: User) -> None:
    create_token(user=user, name="<img src=x onerror=alert(1)>", now=timezone.now())
    assert "<img" not in page(api)


def test_unknown_form_changes_nothing(api: Api) -> None:
    assert [send(api, "").status_code, send(api, "delete_everything").status_code] == [404, 404]


def test_anonymous_user_is_redirected_to_sign_in(anonymous_api: Api) -> None:
    answers = [anonymous_api.get(PAGE), send(anonymous_api, "change", **FIELDS)]
    assert [answer.headers["Location"] for answer in answers] == ["/sign-in/?next=/profile/"] * 2


def test_forms_require_a_csrf_token(user: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(user)
    assert client.post(PAGE, {"do": "change", **FIELDS}).status_code == 403


def test_account_menu_links_to_the_page(api: Api) -> None:
    assert f'href="{PAGE}"' in api.get("/tables/").content.decode()

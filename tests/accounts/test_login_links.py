"""One-time sign-in links over HTTP."""
from __future__ import annotations

from io import StringIO
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.contrib.auth import get_user
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.sign_in.login_links import delete_server_origin, login_link, save_server_origin, server_origin

pytestmark = pytest.mark.django_db


@pytest.fixture
def maya() -> User:
    return User.objects.create_user("maya")


def path_of(user: User) -> str:
    return urlsplit(login_link(user, origin="http://127.0.0.1:8000")).path


def test_link_signs_its_user_in(client: Client, maya: User) -> None:
    answer = client.get(path_of(maya))
    assert answer.status_code == 302
    assert answer["Location"] == "/tables/"
    assert get_user(client) == maya  # type: ignore[arg-type]  # the test client has what get_user asks for


def test_link_works_once(client: Client, maya: User) -> None:
    path = path_of(maya)
    client.get(path)
    stranger = Client()
    assert stranger.get(path).status_code == 410
    assert not get_user(stranger).is_authenticated  # type: ignore[arg-type]  # as above


def test_opening_a_link_does_not_use_it(client: Client, maya: User) -> None:
    path = path_of(maya)
    Client().head(path)
    assert client.get(path).status_code == 302


def test_link_is_void_after_another_sign_in(client: Client, maya: User) -> None:
    path = path_of(maya)
    client.force_login(maya)
    assert Client().get(path).status_code == 410


@pytest.mark.parametrize("spoil", [lambda path: path[:-3] + "x/", lambda path: "/sign-in/link/nonsense/"])
def test_forged_link_is_refused(client: Client, maya: User, spoil) -> None:
    assert client.get(spoil(path_of(maya))).status_code == 410


def test_link_of_an_inactive_user_is_refused(client: Client, maya: User) -> None:
    path = path_of(maya)
    User.objects.update(is_active=False)
    assert client.get(path).status_code == 410


def test_command_prints_a_working_link(client: Client, maya: User) -> None:
    out = StringIO()
    call_command("login_link", "maya", "--origin", "http://127.0.0.1:9000", stdout=out)
    link = out.getvalue().strip()
    assert link.startswith("http://127.0.0.1:9000/sign-in/link/")
    assert client.get(urlsplit(link).path).status_code == 302


@pytest.mark.parametrize(
    ("trusted", "running", "origin"),
    [
        ([], "", "http://127.0.0.1:8000/"),
        ([], "http://127.0.0.1:8001", "http://127.0.0.1:8001/"),
        (["https://*.example.org", "https://t.example.org"], "http://127.0.0.1:8001", "https://t.example.org/"),
    ],
    ids=["default", "running server", "trusted origin"],
)
def test_link_has_the_origin_of_the_server(
    maya: User, settings, tmp_path: Path, trusted: list[str], running: str, origin: str
) -> None:
    settings.CSRF_TRUSTED_ORIGINS, settings.DATA_DIR = trusted, tmp_path
    if running:
        save_server_origin(running)
    out = StringIO()
    call_command("login_link", "maya", stdout=out)
    assert out.getvalue().startswith(f"{origin}sign-in/link/")


def test_origin_is_removed_only_by_the_server_that_recorded_it(settings, tmp_path: Path) -> None:
    settings.CSRF_TRUSTED_ORIGINS, settings.DATA_DIR = [], tmp_path
    save_server_origin("http://127.0.0.1:8001")
    delete_server_origin("http://127.0.0.1:8002")
    assert server_origin() == "http://127.0.0.1:8001"
    delete_server_origin("http://127.0.0.1:8001")
    assert server_origin() == "http://127.0.0.1:8000"


def test_command_reports_an_unknown_user() -> None:
    with pytest.raises(CommandError, match="nobody"):
        call_command("login_link", "nobody")

"""Users and tokens in the admin: secrets are hidden, tokens can be revoked, only superusers grant permissions."""
from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone

from accounts.models import ApiToken
from accounts.tokens import create_token

pytestmark = pytest.mark.django_db
TOKENS = "/admin/accounts/apitoken/"


def staff(*rights: str, **more: Any) -> Client:
    account = User.objects.create(username="tom", is_staff=True, **more)
    account.user_permissions.set(Permission.objects.filter(codename__in=rights))
    client = Client()
    client.force_login(account)
    return client


@pytest.fixture
def token(user: User) -> tuple[ApiToken, str]:
    return create_token(user=user, name="Nightly <script>alert(1)</script>", now=timezone.now())


def test_secret_and_hash_are_on_no_page(token: tuple[ApiToken, str]) -> None:
    record, secret = token
    client = staff("view_apitoken", "delete_apitoken")
    pages = [f"{record.pk}/{name}/" for name in ("change", "delete", "history")]
    for path in ("", *pages, f"?q={record.digest[:12]}"):
        page = client.get(f"{TOKENS}{path}").content.decode()
        assert "Nightly &lt;script&gt;" in page or path.startswith("?")
        assert record.digest not in page
        assert secret not in page
        assert "<script>alert" not in page
    assert client.get(TOKENS, {"q": record.digest}).context["cl"].result_count == 0
    for lookup in ("digest", "digest__startswith", "user__password__startswith"):
        assert client.get(TOKENS, {lookup: record.digest[:1]}).status_code == 400


def test_revoked_token_is_refused_at_once(token: tuple[ApiToken, str]) -> None:
    record, secret = token
    program = {"headers": {"authorization": f"Bearer {secret}"}}
    assert Client().get("/api/tables/", **program).status_code == 200
    client = staff("view_apitoken", "delete_apitoken")
    assert "Revoke" in client.get(f"{TOKENS}{record.pk}/delete/").content.decode()
    client.post(f"{TOKENS}{record.pk}/delete/", {"post": "yes"})
    assert Client().get("/api/tables/", **program).status_code == 401


def test_several_tokens_are_revoked_at_once(token: tuple[ApiToken, str], user: User) -> None:
    create_token(user=user, name="Weekly", now=timezone.now())
    chosen = [str(pk) for pk in ApiToken.objects.values_list("pk", flat=True)]
    form = {"action": "delete_selected", "_selected_action": chosen, "post": "yes"}
    staff("view_apitoken", "delete_apitoken").post(TOKENS, form)
    assert not ApiToken.objects.exists()


def test_view_permission_does_not_allow_changes(token: tuple[ApiToken, str], user: User) -> None:
    record, _ = token
    client = staff("view_apitoken")
    assert client.post(f"{TOKENS}{record.pk}/delete/", {"post": "yes"}).status_code == 403
    assert client.post(f"{TOKENS}{record.pk}/change/", {"scope": "write", "name": "x"}).status_code == 403
    assert client.get(f"{TOKENS}add/").status_code == 403
    User.objects.filter(pk=user.pk).update(is_staff=True)
    other = Client()
    other.force_login(user)
    assert other.get(TOKENS).status_code == 403
    assert ApiToken.objects.get().scope == "read"


def test_expired_token_is_marked(token: tuple[ApiToken, str]) -> None:
    ApiToken.objects.update(expires_at=timezone.now() - timedelta(days=1))
    assert 'alt="False"' in staff("view_apitoken").get(TOKENS).content.decode()


def test_user_is_signed_out_everywhere(user: User) -> None:
    signed_in = Client()
    signed_in.force_login(user)
    assert signed_in.get("/api/tables/").status_code == 200
    client = staff("view_user", "change_user")
    assert '<div class="readonly">1</div>' in client.get(f"/admin/auth/user/{user.pk}/change/").content.decode()
    client.post("/admin/auth/user/", {"action": "sign_out", "_selected_action": [str(user.pk)]})
    assert signed_in.get("/api/tables/").status_code in (401, 403)


def form_of(client: Client, account: User) -> dict[str, Any]:
    answer = client.get(f"/admin/auth/user/{account.pk}/change/")
    initial = answer.context["adminform"].form.initial
    return {name: value for name, value in initial.items() if isinstance(value, str)} | {"is_active": "on"}


def test_staff_with_change_permission_cannot_grant_permissions(user: User) -> None:
    client = staff("view_user", "change_user")
    tom = User.objects.get(username="tom")
    for account in (user, tom):
        rights = {"is_superuser": "on", "is_staff": "on", "user_permissions": ["1", "2"]}
        answer = client.post(
            f"/admin/auth/user/{account.pk}/change/", {**form_of(client, account), **rights, "email": "a@example.com"}
        )
        assert answer.status_code == 302
        account.refresh_from_db()
        assert (account.email, account.is_superuser) == ("a@example.com", False)
    assert not user.is_staff
    assert tom.user_permissions.count() == 2


def test_names_that_mix_alphabets_are_refused_for_new_users_and_new_names(user: User) -> None:
    client = staff("view_user", "change_user", "add_user")
    new = {"usable_password": "false", "username": "\u0430da"}
    assert client.post("/admin/auth/user/add/", new).status_code == 200
    address = f"/admin/auth/user/{user.pk}/change/"
    assert client.post(address, {**form_of(client, user), "username": "\u0430da"}).status_code == 200
    User.objects.filter(pk=user.pk).update(username="\u0430da")
    assert client.post(address, {**form_of(client, user), "email": "a@example.com"}).status_code == 302
    assert [each.username for each in User.objects.filter(username="\u0430da")] == ["\u0430da"]


def test_staff_cannot_change_superusers_and_other_staff() -> None:
    client = staff("view_user", "change_user", "delete_user")
    root = User.objects.create_superuser("root")
    for path, form in (("change", {"email": "x@example.com"}), ("password", {"password1": "x"}), ("delete", {})):
        assert client.post(f"/admin/auth/user/{root.pk}/{path}/", form).status_code == 403
    there = Client()
    there.force_login(root)
    client.post("/admin/auth/user/", {"action": "sign_out", "_selected_action": [str(root.pk)]})
    assert there.get("/api/tables/").status_code == 200


def test_superuser_grants_permissions(user: User) -> None:
    client = staff(is_superuser=True)
    client.post(f"/admin/auth/user/{user.pk}/change/", {**form_of(client, user), "is_staff": "on"})
    user.refresh_from_db()
    assert user.is_staff

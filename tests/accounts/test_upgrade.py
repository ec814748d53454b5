"""Migration of sessions and e-mail addresses to the tables of django-allauth and back."""
from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

pytestmark = pytest.mark.django_db(transaction=True)

BEFORE, MOVED = ("accounts", "0012_session_previous_key"), ("accounts", "0013_allauth")
AFTER = ("accounts", "0014_drop_sessions_and_addresses")


def migrated(to: tuple[str, str]) -> Any:
    """Migrate and return the models of that state."""
    executor = MigrationExecutor(connection)
    executor.migrate([to])
    return MigrationExecutor(connection).loader.project_state(
        [to, ("account", "0009_emailaddress_unique_primary_email"), ("usersessions", "0001_initial")]
    ).apps


def store_sessions_and_addresses(get: Any) -> None:
    """Store sessions and addresses as earlier versions did."""
    people = {
        name: get("auth", "User").objects.create(username=name, email=email)
        for name, email in (
            ("closed", "ada@example.org"), ("ada2", "ada@example.org"), ("ada", "Ada@Example.org"),
            ("eve", "eve@example.org"), ("tom", ""),
        )
    }  # fmt: skip
    get("auth", "User").objects.filter(username="closed").update(is_active=False, last_login=timezone.now())
    get("auth", "User").objects.filter(username="ada").update(last_login=timezone.now())
    addresses = get("accounts", "MailAddress").objects
    addresses.create(user=people["closed"], key="ada@example.org")
    addresses.create(user=people["ada2"], key="ada@example.org")
    addresses.create(user=people["ada"], key="ada@example.org", wanted="New@Example.org")
    addresses.create(user=people["eve"], key="another@example.org")
    addresses.create(user=people["tom"], wanted="tom@example.org")
    session = get("sessions", "Session").objects.create(session_key="a" * 32, expire_date=timezone.now())
    get("accounts", "OpenSession").objects.create(session=session, user=people["ada"], previous_key="b" * 32)


def test_sessions_and_addresses_are_migrated_and_migrated_back(capsys: pytest.CaptureFixture[str]) -> None:
    store_sessions_and_addresses(migrated(BEFORE).get_model)
    try:
        get = migrated(AFTER).get_model
        moved = get("account", "EmailAddress").objects.order_by("pk")
        assert [*moved.values_list("user__username", "email", "verified", "primary")] == [
            ("ada", "ada@example.org", True, True),
            ("ada", "new@example.org", False, False),
            # Three had confirmed one address: of those with access, the one who signed in last has it.
            ("ada2", "ada@example.org", False, True),
            ("tom", "tom@example.org", False, False),
            ("closed", "ada@example.org", False, True),
        ]
        assert "ada2 has no confirmed address any more" in capsys.readouterr().out
        assert get("auth", "User").objects.get(username="ada").email == "ada@example.org"
        (stored,) = get("usersessions", "UserSession").objects.all()
        assert (stored.session_key, stored.user.username, stored.data) == ("a" * 32, "ada", {"previous_key": "b" * 32})

        # Undone with the migration that drops the old tables, and without it.
        for _ in range(2):
            migrated(MOVED)
            get = migrated(BEFORE).get_model
            back = get("accounts", "MailAddress").objects.order_by("user_id")
            assert [*back.values_list("user__username", "key", "wanted")] == [
                ("closed", "", "ada@example.org"),
                ("ada2", "", "ada@example.org"),
                ("ada", "ada@example.org", "new@example.org"),
                ("tom", "", "tom@example.org"),
            ]
            (open_session,) = get("accounts", "OpenSession").objects.all()
            assert (open_session.session_id, open_session.previous_key) == ("a" * 32, "b" * 32)
    finally:
        migrated(AFTER)

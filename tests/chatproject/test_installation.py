"""First start: the administrator, demo tables and static files."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core.management import CommandError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from chatproject.startup import installation
from tables.column_types import COLUMN_TYPES
from tables.models import FileContent
from tables.operations import Origin
from tables.selectors import count_rows, read_rows, table_shape, tables_for
from tables.services import trash_table


def ignore(text: str) -> None:
    """Ignore progress messages."""


def row_counts(user: User) -> dict[str, int]:
    return {table.name: count_rows(table) for table in tables_for(user)}


def test_a_database_of_another_version_is_refused(db: None) -> None:
    MigrationRecorder(connection).record_applied("tables", "0099_from_the_future")
    with pytest.raises(CommandError, match=r"tables\.0099_from_the_future"):
        installation.migrate(print_line=ignore)


def test_a_fresh_database_gets_an_administrator_without_a_password(db: None) -> None:
    admin = installation.seed(big=False, print_line=ignore)
    assert (admin.username, admin.is_superuser, admin.has_usable_password()) == ("admin", True, False)


def test_a_fresh_database_gets_tables_with_all_types_of_column(db: None) -> None:
    admin = installation.seed(big=False, print_line=ignore)
    assert row_counts(admin) == {"Apartments": 12, "Job applications": 18, "Pantry": 57, "Web shop orders": 5_000}
    columns = [column for table in tables_for(admin) for column in table_shape(table).columns]
    row_facts = {"created_at", "created_by", "updated_at", "updated_by"}
    assert {column.type for column in columns} == set(COLUMN_TYPES) - row_facts
    formats = {"plain", "currency", "percent", "rating", "long", "url", "email", "datetime"}
    assert {column.used_settings.get("format") for column in columns} >= formats
    apartments = tables_for(admin)[0]
    names = {column.id: column.name for column in table_shape(apartments).columns}
    (row,) = read_rows(apartments, limit=1)
    first = {names[key]: value for key, value in row.data.items()}
    [plan] = first["Floor plan"]
    assert (first["Assigned to"], plan["type"], plan["name"]) == (admin.pk, "image/png", "Plan.png")
    assert all(FileContent.objects.filter(type="image/png").values_list("thumbnail_type", flat=True))


def test_without_a_storage_of_files_the_demo_tables_have_no_pictures(
    db: None, settings: LazySettings, tmp_path: Path
) -> None:
    (tmp_path / "files").write_text("a file in place of the folder")
    storages = settings.STORAGES
    options = storages["files"]["OPTIONS"] | {"location": tmp_path / "files"}
    settings.STORAGES = storages | {"files": storages["files"] | {"OPTIONS": options}}
    admin = installation.seed(big=False, print_line=ignore)
    assert (row_counts(admin)["Apartments"], FileContent.objects.count()) == (12, 0)


def test_the_demo_tables_are_the_same_on_every_machine(db: None) -> None:
    admin = installation.seed(big=False, print_line=ignore)
    orders = next(table for table in tables_for(admin) if table.name == "Web shop orders")
    names = {column.id: column.name for column in table_shape(orders).columns}
    (row,) = read_rows(orders, limit=1)
    assert {names[key]: value for key, value in row.data.items()} == {
        "Order": "W-100001",
        "Customer": "Edsger Lindqvist",
        "Country": "Kenya",
        "Item": "Poster",
        "Quantity": 10,
        "Total": 190,
        "Ordered on": "2026-01-05",
        "Status": "New",
        "Gift": True,
    }


def test_trashed_demo_tables_are_not_created_again(db: None) -> None:
    admin = installation.seed(big=False, print_line=ignore)
    pantry = next(table for table in tables_for(admin) if table.name == "Pantry")
    trash_table(user=admin, table_id=pantry.id, origin=Origin(source="api"))
    installation.seed(big=False, print_line=ignore)
    assert "Pantry" not in row_counts(admin)


def test_a_database_with_users_gets_no_demo_tables(make_user: Callable[[str], User]) -> None:
    make_user("ada")
    admin = installation.seed(big=False, print_line=ignore)
    assert (admin.username, row_counts(admin)) == ("admin", {})


def test_an_existing_administrator_with_another_name_is_used(db: None) -> None:
    root = User.objects.create_superuser("root")
    assert installation.seed(big=False, print_line=ignore) == root


@pytest.fixture
def own_static_root(settings: LazySettings, tmp_path: Path) -> Path:
    settings.DATA_DIR, settings.STATIC_ROOT = tmp_path, tmp_path / "static"
    settings.STORAGES = dict(settings.STORAGES)  # a new value, so that Django creates the storage again
    settings.STATICFILES_DIRS = [tmp_path / "sources"]
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "a.css").write_text("a { color: red }")
    return tmp_path


def test_static_files_are_collected_only_after_a_change(own_static_root: Path) -> None:
    messages: list[str] = []
    installation.collect_static(print_line=messages.append)
    installation.collect_static(print_line=messages.append)
    unchanged = list(messages)
    source = own_static_root / "sources" / "a.css"
    source.write_text("a { color: blue }")
    os.utime(source, (1, 1))
    installation.collect_static(print_line=messages.append)
    assert (unchanged, messages) == (["Collecting static files …"], ["Collecting static files …"] * 2)

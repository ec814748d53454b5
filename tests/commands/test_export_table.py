"""`manage.py export_table` writes a complete file or none."""
from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from tables.operations import Origin
from tables.services import create_table

pytestmark = pytest.mark.django_db(transaction=True)

COLUMNS = [{"name": "Company", "type": "text"}, {"name": "Salary", "type": "number"}]
ROWS: list[dict[str, Any]] = [
    {"Company": "Acme", "Salary": 1}, {"Company": "Bolt", "Salary": 3}, {"Company": "Crux", "Salary": 2},
]  # fmt: skip


@pytest.fixture
def table(user: User) -> str:
    table = create_table(user=user, name="Jobs", columns=COLUMNS, rows=ROWS, origin=Origin("api"))
    return str(table.pk)


def read_csv(file: Path) -> list[list[str]]:
    return list(csv.reader(file.read_text("utf-8-sig").splitlines()))


def test_the_file_extension_selects_the_format(table: str, tmp_path: Path) -> None:
    for extension, prefix in (("csv", b"\xef\xbb\xbfCompany"), ("json", b"[\n{"), ("xlsx", b"PK")):
        file = tmp_path / f"jobs.{extension}"
        call_command("export_table", table, str(file))
        assert file.read_bytes().startswith(prefix)


def test_exports_can_be_filtered_and_sorted(table: str, tmp_path: Path) -> None:
    file = tmp_path / "jobs.csv"
    condition = '{"column": "Salary", "op": "gte", "value": 2}'
    call_command("export_table", table, str(file), filter=condition, sort="-Salary", columns="Company")
    assert read_csv(file) == [["Company"], ["Bolt"], ["Crux"]]


def test_a_dash_writes_to_standard_output(table: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    call_command("export_table", table, "-", format="json", search="acme")
    assert capfdbinary.readouterr().out == b'[\n{"Company":"Acme","Salary":1}\n]\n'


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("jobs.doc", {}, "Unknown format"), ("jobs.csv", {"sort": "Compny"}, "Did you mean"),
        ("jobs.csv", {"filter": "{"}, "not valid JSON"), ("jobs.csv", {"search": "x\0"}, "NUL"),
        ("nowhere/jobs.csv", {}, "No such file"),
    ],
)  # fmt: skip
def test_a_failed_export_leaves_no_file(
    table: str, tmp_path: Path, name: str, options: dict[str, str], message: str
) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("export_table", table, str(tmp_path / name), **options)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_table_leaves_an_existing_file_unchanged(table: str, tmp_path: Path) -> None:
    file = tmp_path / "jobs.csv"
    file.write_text("older")
    with pytest.raises(CommandError, match="Table not found"):
        call_command("export_table", "999999", str(file))
    assert (file.read_text(), len(list(tmp_path.iterdir()))) == ("older", 1)

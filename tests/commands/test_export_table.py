"""`manage.py export_table`: any table as a file, whole or not at all."""
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
    made = create_table(user=user, name="Jobs", columns=COLUMNS, rows=ROWS, origin=Origin("api"))
    return str(made.pk)


def lines(file: Path) -> list[list[str]]:
    return list(csv.reader(file.read_text("utf-8-sig").splitlines()))


def test_the_ending_of_the_file_says_the_format(table: str, tmp_path: Path) -> None:
    for ending, beginning in (("csv", b"\xef\xbb\xbfCompany"), ("json", b"[\n{"), ("xlsx", b"PK")):
        file = tmp_path / f"jobs.{ending}"
        call_command("export_table", table, str(file))
        assert file.read_bytes().startswith(beginning)


def test_it_is_filtered_and_sorted_like_everywhere(table: str, tmp_path: Path) -> None:
    file = tmp_path / "jobs.csv"
    chosen = '{"column": "Salary", "op": "gte", "value": 2}'
    call_command("export_table", table, str(file), filter=chosen, sort="-Salary", columns="Company")
    assert lines(file) == [["Company"], ["Bolt"], ["Crux"]]


def test_a_dash_is_the_standard_output(table: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    call_command("export_table", table, "-", format="json", search="acme")
    assert capfdbinary.readouterr().out == b'[\n{"Company":"Acme","Salary":1}\n]\n'


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("jobs.doc", {}, "Unknown format"), ("jobs.csv", {"sort": "Compny"}, "Did you mean"),
        ("jobs.csv", {"filter": "{"}, "not valid JSON"), ("jobs.csv", {"search": "x\0"}, "NUL"),
        ("nowhere/jobs.csv", {}, "No such file"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_leaves_nothing_behind(
    table: str, tmp_path: Path, name: str, options: dict[str, str], said: str
) -> None:
    with pytest.raises(CommandError, match=said):
        call_command("export_table", table, str(tmp_path / name), **options)
    assert list(tmp_path.iterdir()) == []


def test_a_table_that_is_not_there_leaves_the_file_that_was_there(table: str, tmp_path: Path) -> None:
    file = tmp_path / "jobs.csv"
    file.write_text("older")
    with pytest.raises(CommandError, match="no such table"):
        call_command("export_table", "999999", str(file))
    assert (file.read_text(), len(list(tmp_path.iterdir()))) == ("older", 1)

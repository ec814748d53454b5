"""`manage.py import_table`, as whoever runs the machine uses it; and that what goes out comes back as it was."""
from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from tables.models import Import, ImportPiece, Table
from tables.operations import Origin
from tables.services import create_table
from tests.conftest import Api
from tests.tables.importing.files import decide, rows_of, run, uploaded

pytestmark = pytest.mark.django_db(transaction=True)


def command(user: User, file: Path, *said: str) -> str:
    out = StringIO()
    call_command("import_table", user.username, str(file), *said, stdout=out, stderr=out)
    return out.getvalue()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "my_jobs.csv"
    path.write_text("Company,Since\nAcme,03/04/2024\nBolt,05/06/2024\n", encoding="utf-8")
    return path


def test_a_file_becomes_a_table_and_is_not_kept(user: User, api: Api, file: Path) -> None:
    said = command(user, file, "--dates", "day-first", "--name", "Jobs")
    table = Table.objects.get()
    assert (table.name, said) == ("Jobs", f"Table {table.pk}: 2 rows added, 0 updated.\n")
    assert rows_of(api, table.pk)[0] == {"Company": "Acme", "Since": "2024-04-03"}
    assert ImportPiece.objects.count() == 0


def test_rows_are_merged_into_a_table(user: User, api: Api, file: Path) -> None:
    command(user, file, "--dates", "day-first")
    file.write_text("Company,Since\nBolt,31/12/2025\nCrux,\n", encoding="utf-8")
    table = Table.objects.get().pk
    said = command(user, file, "--table", str(table), "--merge-on", "Company", "--dates", "day-first")
    assert said == f"Table {table}: 1 rows added, 1 updated.\n"
    assert [row.get("Since") for row in rows_of(api, table)] == ["2024-04-03", "2025-12-31", None]


@pytest.mark.parametrize(
    ("content", "said", "told"),
    [
        ("Since\n03/04/2024\n", (), "day first or month first"),
        ("N\n" + "1\n" * 20 + "x\n", (), "1 cell is not valid"),
        ("", (), "no rows"),
        ("a\n1\n", ("--table", "999"), "Table not found"),
    ],
    ids=["ambiguous", "refused", "empty", "no table"],
)
def test_what_stands_in_the_way_is_said_and_nothing_written(
    user: User, file: Path, content: str, said: tuple[str, ...], told: str
) -> None:
    file.write_text(content, encoding="utf-8")
    with pytest.raises(CommandError, match=told):
        command(user, file, *said)
    assert (Table.objects.count(), Import.objects.filter(state="ready").count()) == (0, 0)


def test_how_a_file_is_read_and_where_its_columns_go_can_be_said(user: User, api: Api, file: Path) -> None:
    file.write_bytes("Zip;Since;Näme;Note;Pay\n123;31/12/2024;Ada;x;1.200\n456;bald;Böb;y;7\n".encode("cp1252"))
    said = command(user, file, "--encoding", "cp1252", "--delimiter", "semicolon", "--header", "--type", "Zip=text",
                   "--type", "Since=date", "--dates", "day-first", "--leave-out", "Note",
                   "--refused", "empty", "--decimal", "comma")  # fmt: skip
    table = Table.objects.get().pk
    assert rows_of(api, table) == [
        {"Zip": "123", "Since": "2024-12-31", "Näme": "Ada", "Pay": 1200}, {"Zip": "456", "Näme": "Böb", "Pay": 7},
    ]  # fmt: skip
    assert "3, Since: “bald” is not a day-first date like 31/12/2024." in said
    file.write_text("Code,Name\n123,\n", encoding="utf-8")
    said = command(user, file, "--table", str(table), "--into", "Code=Zip", "--into", "Name=Näme", "--merge-on", "Zip",
                   "--empty-cells", "clear")  # fmt: skip
    assert (said, rows_of(api, table)[0]) == (
        f"Table {table}: 0 rows added, 1 updated.\n", {"Zip": "123", "Since": "2024-12-31", "Pay": 1200},
    )  # fmt: skip


@pytest.mark.parametrize(("said", "told"), [(("--type", "Zip"), "COLUMN=TYPE"), (("--leave-out", "Zip"), "are 'Co")])
def test_a_column_that_is_not_there_is_told_with_those_that_are(
    user: User, file: Path, said: tuple[str, ...], told: str
) -> None:
    with pytest.raises(CommandError, match=told):
        command(user, file, *said)


COLUMNS: list[dict[str, Any]] = [
    {"name": "=Name", "type": "text"}, {"name": "Sum", "type": "number"}, {"name": "Day", "type": "date"},
    {"name": "Done", "type": "boolean"}, {"name": "State", "type": "select", "options": ["-open", "d,one"]},
]  # fmt: skip
ROWS = [
    {"=Name": "=1+1", "Sum": -5, "Day": "2024-02-29", "Done": True, "State": "-open"},
    {"=Name": "'@x", "Sum": 0.00001, "State": "d,one"},
    {},
    {"=Name": ' two\r\nlines, "quoted" ', "Sum": 123456789012345, "Done": False},
    {"=Name": "'tis", "Sum": 1.5},
]


def test_what_is_exported_as_csv_and_imported_is_exported_the_same_again(
    user: User, api: Api, tmp_path: Path
) -> None:
    first, again = (
        create_table(user=user, name=name, columns=COLUMNS, rows=rows, origin=Origin("api"))
        for name, rows in (("One", ROWS), ("Two", []))
    )
    call_command("export_table", first.pk, str(tmp_path / "one.csv"))
    raw = (tmp_path / "one.csv").read_bytes()
    done = run(api, decide(api, uploaded(api, raw, table=again.pk), empty_rows="keep"))
    call_command("export_table", again.pk, str(tmp_path / "two.csv"))
    assert (done["state"], (tmp_path / "two.csv").read_bytes()) == ("done", raw)

"""`manage.py import_table` creates tables from files, and imports what `export_table` wrote without loss."""
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


def import_table(user: User, file: Path, *options: str) -> str:
    out = StringIO()
    call_command("import_table", user.username, str(file), *options, stdout=out, stderr=out)
    return out.getvalue()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "my_jobs.csv"
    path.write_text("Company,Since\nAcme,03/04/2024\nBolt,05/06/2024\n", encoding="utf-8")
    return path


def test_a_file_becomes_a_table_and_is_not_stored(user: User, api: Api, file: Path) -> None:
    output = import_table(user, file, "--dates", "day-first", "--name", "Jobs")
    table = Table.objects.get()
    assert (table.name, output) == ("Jobs", f"Table {table.pk}: 2 rows added, 0 updated.\n")
    assert rows_of(api, table.pk)[0] == {"Company": "Acme", "Since": "2024-04-03"}
    assert ImportPiece.objects.count() == 0


def test_rows_are_merged_into_a_table(user: User, api: Api, file: Path) -> None:
    import_table(user, file, "--dates", "day-first")
    file.write_text("Company,Since\nBolt,31/12/2025\nCrux,\n", encoding="utf-8")
    table = Table.objects.get().pk
    output = import_table(user, file, "--table", str(table), "--merge-on", "Company", "--dates", "day-first")
    assert output == f"Table {table}: 1 rows added, 1 updated.\n"
    assert [row.get("Since") for row in rows_of(api, table)] == ["2024-04-03", "2025-12-31", None]


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("Since\n03/04/2024\n", (), "day first or month first"),
        ("N\n" + "1\n" * 20 + "x\n", (), "1 cell is not valid"),
        ("", (), "no rows"),
        ("a\n1\n", ("--table", "999"), "Table not found"),
    ],
    ids=["ambiguous", "refused", "empty", "no table"],
)
def test_an_error_is_reported_and_nothing_written(
    user: User, file: Path, content: str, options: tuple[str, ...], message: str
) -> None:
    file.write_text(content, encoding="utf-8")
    with pytest.raises(CommandError, match=message):
        import_table(user, file, *options)
    assert (Table.objects.count(), Import.objects.filter(state="ready").count()) == (0, 0)


def test_options_decide_how_a_file_is_read_and_mapped(user: User, api: Api, file: Path) -> None:
    file.write_bytes("Zip;Since;Näme;Note;Pay\n123;31/12/2024;Ada;x;1.200\n456;bald;Böb;y;7\n".encode("cp1252"))
    output = import_table(
        user, file, "--encoding", "cp1252", "--delimiter", "semicolon", "--header", "--type", "Zip=text",
        "--type", "Since=date", "--dates", "day-first", "--leave-out", "Note", "--refused", "empty",
        "--decimal", "comma",
    )  # fmt: skip
    table = Table.objects.get().pk
    assert rows_of(api, table) == [
        {"Zip": "123", "Since": "2024-12-31", "Näme": "Ada", "Pay": 1200}, {"Zip": "456", "Näme": "Böb", "Pay": 7},
    ]  # fmt: skip
    assert "3, Since: “bald” is not a day-first date like 31/12/2024." in output
    file.write_text("Code,Name\n123,\n", encoding="utf-8")
    output = import_table(
        user, file, "--table", str(table), "--into", "Code=Zip", "--into", "Name=Näme", "--merge-on", "Zip",
        "--empty-cells", "clear",
    )  # fmt: skip
    assert (output, rows_of(api, table)[0]) == (
        f"Table {table}: 0 rows added, 1 updated.\n", {"Zip": "123", "Since": "2024-12-31", "Pay": 1200},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"), [(("--type", "Zip"), "COLUMN=TYPE"), (("--leave-out", "Zip"), "are 'Co")]
)
def test_an_unknown_column_is_reported_with_the_existing_ones(
    user: User, file: Path, options: tuple[str, ...], message: str
) -> None:
    with pytest.raises(CommandError, match=message):
        import_table(user, file, *options)


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


def test_csv_exports_survive_an_import_unchanged(
    user: User, api: Api, tmp_path: Path
) -> None:
    first, second = (
        create_table(user=user, name=name, columns=COLUMNS, rows=rows, origin=Origin("api"))
        for name, rows in (("One", ROWS), ("Two", []))
    )
    call_command("export_table", first.pk, str(tmp_path / "one.csv"))
    raw = (tmp_path / "one.csv").read_bytes()
    done = run(api, decide(api, uploaded(api, raw, table=second.pk), empty_rows="keep"))
    call_command("export_table", second.pk, str(tmp_path / "two.csv"))
    assert (done["state"], (tmp_path / "two.csv").read_bytes()) == ("done", raw)

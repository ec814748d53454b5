"""Workbooks are read in a separate process, so that hostile files harm only that process."""
from __future__ import annotations

import subprocess
import sys
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from tables.importing.file_formats.open_file import open_rows
from tables.importing.file_formats.source import Source, Unreadable
from tables.importing.file_formats.spreadsheets import ROOT
from tables.importing.sniffing import sniff
from tests.tables.importing.workbooks import archive, rows, workbook

pytestmark = pytest.mark.slow

SHEET = Source("spreadsheet")


def read(raw: bytes) -> list[tuple[int, list[Any]]]:
    with open_rows([raw], source=SHEET) as file:
        return list(file.rows)


def test_cells_have_their_types() -> None:
    date = '<row r="2"><c r="A2" s="1"><v>45366</v></c><c r="B2" t="b"><v>1</v></c><c r="C2"><v>1.5</v></c></row>'
    formula = '<row r="3"><c r="A3"><f>1+1</f><v>2</v></c><c r="B3" t="e"><v>#DIV/0!</v></c></row>'
    head = '<row r="1"><c r="A1" t="inlineStr"><is><t>When</t></is></c></row>'
    found = read(workbook(f"<sheetData>{head}{date}{formula}</sheetData>"))
    assert found[:2] == [(1, ["When", "", ""]), (2, ["2024-03-15", True, 1.5])]
    assert found[2][1][0] == 2


def named_files() -> set[str]:
    """Return the names of open files of this process that other processes could open."""
    links = [link for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
    return {name for name in (str(link.readlink()) for link in links) if Path(name).is_file()}


def test_a_killed_reader_leaves_no_file() -> None:
    before = named_files()
    with open_rows([rows(["Name"], ["Ada"])], source=SHEET) as file:
        # A file with a name would remain if the process ended now.
        assert named_files() == before
        assert [cells for _, cells in file.rows] == [["Name"], ["Ada"]]


def test_number_formats_of_all_cells_are_settings_of_the_column() -> None:
    def row(number: int, *styles: int) -> str:
        cells = zip("BCDE", styles, strict=True)
        written = "".join(f'<c r="{letter}{number}" s="{style}"><v>2</v></c>' for letter, style in cells)
        return f'<row r="{number}">{written}</row>'

    heads = "".join(f'<c r="{letter}1" t="inlineStr"><is><t>{letter}</t></is></c>' for letter in "BCDE")
    sheet = f'<sheetData><row r="1">{heads}</row>{row(2, 2, 3, 2, 1)}{row(3, 2, 3, 0, 1)}</sheetData>'
    found = sniff(lambda: [workbook(sheet)], source=SHEET)
    euros = {"format": "currency", "currency": "EUR"}
    assert [(guess.type, guess.settings) for guess in found.guesses] == [
        ("number", {"format": "percent"}), ("number", euros), ("number", {}), ("date", {}),
    ]  # fmt: skip


def test_wrong_dimensions_of_a_sheet_are_ignored() -> None:
    found = read(rows(["Name"], ["Ada"], ["Bob"], dimension="A1:A1"))
    assert [cells for _, cells in found] == [["Name"], ["Ada"], ["Bob"]]


def test_types_and_names_are_detected() -> None:
    found = sniff(lambda: [rows(["Name", "Sum"], ["Ada", 5], ["Bob", 7.5])], source=SHEET)
    assert [guess.type for guess in found.guesses] == ["text", "number"]
    assert (found.source.sheets, found.total) == (("Jobs",), 2)


@pytest.mark.parametrize("state", ["frozen", "split"])
def test_a_frozen_first_row_is_a_header(state: str) -> None:
    view = f'<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" state="{state}"/></sheetView></sheetViews>'
    cells = "".join(f'<row r="{row}"><c r="A{row}"><v>{row}</v></c></row>' for row in (1, 2))
    source = sniff(lambda: [workbook(f"{view}<sheetData>{cells}</sheetData>")], source=SHEET).source
    expected = (True, "frozen_row") if state == "frozen" else (False, "same_values")
    assert (source.header, source.header_reason) == expected


FAR = (
    '<sheetData><row r="1"><c r="A1"><v>1</v></c></row>'
    '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
)


def bomb() -> bytes:
    """Return an archive that declares an unpacked size over the limit."""
    raw = archive({"xl/workbook.xml": "<x/>", "xl/worksheets/sheet1.xml": "0" * 5_000_000})
    # Replace the sizes of the last entry by three gigabytes.
    at = raw.rindex(b"PK\x01\x02") + 24
    return raw[:at] + (3 * 1024**3).to_bytes(4, "little") + raw[at + 4 :]


HOSTILE = {
    "two cells in far corners": (workbook(FAR), "too_large"),
    "a bomb": (bomb(), "too_large"),
    "no archive": (b"PK\x03\x04" + b"x" * 500, "unreadable_file"),
    "an archive of something else": (archive({"readme.txt": "hello"}), "unreadable_file"),
    "XML that ends early": (workbook("<sheetData><row><c><v>1"), "unreadable_file"),
    "an old workbook that is none": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "unreadable_file"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_workbooks_are_refused_with_a_message(name: str) -> None:
    raw, code = HOSTILE[name]
    with pytest.raises(Unreadable) as refused:
        read(raw)
    assert refused.value.code == code


def test_lines_of_the_reader_are_limited(tmp_path: Path) -> None:
    path = tmp_path / "long.xlsx"
    path.write_bytes(rows(*[["x" * 60_000] * 3] * 50, ["y" * 300_000]))
    command = [sys.executable, "-m", "tables.importing.file_formats.spreadsheet_child", str(path)]
    lines = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout.splitlines()
    assert max(map(len, lines)) < 1_500_000
    cells = [cells for _, cells in read(path.read_bytes())]
    assert [len(row[0]) for row in cells[:50]] == [60_000] * 50
    # Longer than the limit of a cell.
    assert 64 * 1024 < len(cells[50][0]) < 100_000


def test_too_many_columns_are_refused_with_their_number(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="This has 3,000 columns; a table can have at most 500"):
        sniff(lambda: [rows(["x"] * 3_000, ["y"] * 3_000)], source=SHEET)
    # Reading stops as soon as the limit is exceeded.
    assert {len(cells) for _, cells in read(rows(["x"] * 3_000, ["y"] * 3_000))} == {600}


def test_an_empty_sheet_is_refused() -> None:
    with pytest.raises(Unreadable) as refused:
        sniff(lambda: [workbook("<sheetData/>")], source=SHEET)
    assert refused.value.code == "empty_file"


def test_xml_entities_are_not_expanded() -> None:
    raw = workbook("<sheetData/>")
    with zipfile.ZipFile(BytesIO(raw)) as packed:
        files = {name: packed.read(name).decode() for name in packed.namelist()}
    files["xl/worksheets/sheet1.xml"] = (
        '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>'
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        '<row><c t="inlineStr"><is><t>&e;</t></is></c></row></sheetData></worksheet>'
    )
    try:
        text = str(read(archive(files)))
    except Unreadable as fault:
        text = fault.detail
    assert Path("/etc/hostname").read_text(encoding="utf-8").strip() not in text

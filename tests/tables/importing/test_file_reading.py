"""Reading delimited text and JSON in pieces; unreadable files give an error message."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.importing.file_formats.delimited import delimited_rows, guess_delimiter
from tables.importing.file_formats.encodings import EncodingGuess, decode_lines
from tables.importing.file_formats.records import Records
from tables.importing.file_formats.source import Source, Unreadable
from tables.importing.names import column_names
from tables.importing.sniffing import guess_source, sniff
from tables.operations.formula_escaping import escape_formula

LETTERS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff"), max_size=12)
CELLS = LETTERS | st.sampled_from(["", "a,b", 'say "x"', "two\r\nlines", "a\nb", "a\rb", ";", "\t", "'=1", "=1", "ä€"])
TABLES = st.integers(1, 5).flatmap(lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), max_size=8))
SIZES = st.integers(1, 9)


def pieces(raw: bytes, *, size: int) -> list[bytes]:
    return [raw[start : start + size] for start in range(0, len(raw), size)]


def sniffed(raw: bytes, *, name: str = "") -> Any:
    guess = EncodingGuess()
    guess.feed(raw)
    source = guess_source(lambda: [raw], encoding=lambda: guess.name, file_name=name)
    return sniff(lambda: [raw], source=source)


def read_through(raw: bytes) -> None:
    source = sniffed(raw).source
    list(delimited_rows(decode_lines([raw], encoding=source.encoding), delimiter=source.delimiter))


def columns(text: str) -> list[tuple[str, str | None]]:
    return [(guess.type, guess.form) for guess in sniffed(text.encode()).guesses]


@given(rows=TABLES, delimiter=st.sampled_from(",;\t|"), end=st.sampled_from(["\r\n", "\n"]), size=SIZES,
       encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be"]))  # fmt: skip
def test_delimited_text_is_read_back_unchanged(
    rows: list[list[str]], delimiter: str, end: str, size: int, encoding: str
) -> None:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerows([[escape_formula(cell) for cell in row] for row in rows])
    raw = text.getvalue().encode(encoding)
    lines = decode_lines(pieces(raw, size=size), encoding=encoding.removesuffix("-sig"))
    assert [row for _, row in delimited_rows(lines, delimiter=delimiter)] == rows


@given(text=st.text(st.sampled_from("a\r\n"), max_size=20), size=SIZES)
def test_lines_do_not_depend_on_the_size_of_pieces(text: str, size: int) -> None:
    raw = text.encode()
    whole, cut = (list(decode_lines(pieces(raw, size=each), encoding="utf-8")) for each in (len(raw) + 1, size))
    assert (cut, "".join(cut)) == (whole, text)


VALUES = st.none() | st.booleans() | st.integers() | LETTERS
RECORDS = st.lists(st.dictionaries(LETTERS, VALUES, max_size=4), max_size=6)


@given(records=RECORDS, size=SIZES, by_line=st.booleans())
def test_json_records_are_read_back_unchanged(records: list[dict[str, Any]], size: int, by_line: bool) -> None:
    text = "\n".join(map(json.dumps, records)) if by_line and records else json.dumps(records, ensure_ascii=False)
    found = Records(pieces(text.encode(), size=size), encoding="utf-8")
    rows = [dict(zip(found.keys, cells, strict=False)) for _, cells in found.rows()]
    filled = [{key: value for key, value in row.items() if value is not None} for row in rows]
    assert filled == [{key: value for key, value in record.items() if value is not None} for record in records]


@given(given=st.lists(st.text(max_size=300) | st.none() | st.integers(), max_size=20))
def test_column_names_are_always_valid(given: Sequence[Any]) -> None:
    from tables.column_types import check_name, name_key

    names = column_names(given)
    assert [check_name(name) for name in names] == names
    assert len({name_key(name) for name in names}) == len(names)


@pytest.mark.slow  # workbooks are read in a separate process
@given(raw=st.binary(max_size=300), name=st.sampled_from(["x.csv", "x.json", ""]))
def test_any_bytes_are_read_or_refused_with_a_message(raw: bytes, name: str) -> None:
    try:
        found = sniffed(raw, name=name)
    except Unreadable as fault:
        message = fault.detail
    else:
        json.dumps(found.as_json()).encode()
        message = "A table." if len(found.names) == len(found.guesses) > 0 else "Nothing"
    assert message.endswith((".", "?"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Zip\n01234\n99999\n", ("text", "")),
        ("Flag\n0\n1\n1\n", ("number", "")),
        ("Paid\nyes\nno\n", ("boolean", "")),
        ("Bezahlt\nja\nNein\nja\n", ("boolean", "")),
        ("Bezahlt\nWAHR\nFALSCH\n", ("boolean", "")),
        ("When\n03/04/2024\n05/06/2024\n", ("date", None)),
        ("When\n03/04/2024\n25/06/2024\n", ("date", "dmy")),
        ("When\n03/04/2024\n06/25/2024\n", ("date", "mdy")),
        ("When\n2024-03-04\n", ("date", "")),
        ("When\n03.04.2024\n31.12.2024\n", ("date", "dmy")),
        ("Sum;x\n1,5;a\n2,25;b\n", ("number", "comma")),
        ("Sum;x\n1,200;a\n1,234,500;b\n", ("number", "")),
        ("Phone\n+49170123456\n+49170123457\n", ("text", "")),
        ("Card\n4111111111111111\n4111111111111112\n", ("text", "")),
        ("State\n" + "Open\nDone\n" * 12, ("select", "")),
        ("First Name\n" + "Ada\nBo\n" * 12, ("text", "")),
        ("Vorname\n" + "Ada\nBo\n" * 12, ("text", "")),
        ("Note\none\ntwo\n", ("text", "")),
    ],
    ids=["leading zeros", "0 and 1", "yes and no", "ja and nein", "WAHR and FALSCH", "ambiguous days", "day first",
         "month first", "iso", "dots", "decimal comma", "thousands", "plus", "too many digits", "few words",
         "first names", "first names in German", "words"],
)  # fmt: skip
def test_types_are_guessed_without_loss(text: str, found: tuple[str, str | None]) -> None:
    assert columns(text)[0] == found


def test_unfitting_values_lower_the_confidence_and_are_listed() -> None:
    guess = sniffed(("Sum\n" + "5\n" * 39 + "n/a\n").encode()).guesses[0]
    assert (guess.type, guess.confidence, guess.misfits) == ("number", 0.97, ("n/a",))


@pytest.mark.parametrize(
    ("cells", "settings"),
    [
        (["5 %", "12,5 %"], {"format": "percent"}),
        (["5 %", "7"], {}),
        (["$5", "-$1,250.50"], {"format": "currency", "currency": "USD"}),
        (["12,50 EUR", "1.200,00 EUR"], {"format": "currency", "currency": "EUR"}),
        (["$5", "€5"], {}),
        (["5 kg", "7 kg"], {}),
        (["90 min", "1:30"], {"format": "duration"}),
        (["9:30", "17:45"], {}),
        (["https://a.com", "www.b.org/c"], {"format": "url"}),
        (["+49 30 1234567", "+1 555 0100"], {"format": "phone"}),
        (["a@b.de", "c@d.org"] * 10, {"format": "email"}),
        (["a@b.de", "none"], {}),
    ],
    ids=lambda part: " ".join(part[:2]) if isinstance(part, list) else "",
)
def test_formats_are_detected_if_all_values_have_them(cells: list[str], settings: dict[str, str]) -> None:
    assert sniffed("\n".join(["Name", *(f'"{cell}"' for cell in cells)]).encode()).guesses[0].settings == settings


BROKEN = {
    "unclosed quote": (b'a,b\n1,"x\n2,y\n', "unclosed_quote"),
    "stray quote": (b'a,b\n1,"x"y\n', "stray_quote"),
    "a quote that swallows the rest": (b'a,b\n1,"' + b"x" * 200_000, "cell_too_long"),
    "a row that goes on in quotes": (b'"\nab",' * 800_000, "row_too_long"),
    "one endless line": (b"a" * 5_000_000, "line_too_long"),
    "a million columns": (b"," * 1_000_000, "too_many_columns"),
    "no text": (bytes(range(256)) + b"\0" * 200, "not_a_table"),
    "a PDF": (b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n", "not_a_table"),
    "a compressed file without zeros": (bytes(range(1, 256)) * 4, "not_a_table"),
    "nothing": (b"\n\r\n", "empty_file"),
    "a mark and nothing": (b"\xef\xbb\xbf", "empty_file"),
    "half of UTF-16": (b"\xff\xfea\0b", "wrong_encoding"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_delimited_text_is_reported(name: str) -> None:
    raw, code = BROKEN[name]
    with pytest.raises(Unreadable) as refused:
        read_through(raw)
    assert refused.value.code == code


JSON = {
    "cut": b'[{"a":1}', "no objects": b"[1]", "NaN": b'[{"a":NaN}]', "a name twice": b'[{"a":1,"a":2}]',
    "deep": b'[{"a":' + b"[" * 100_000, "huge number": b'[{"a":' + b"9" * 10_000 + b"}]", "tail": b'[{"a":1}]x',
    "no comma": b'[{"a":1}{"a":2}]', "comma at the end": b'[{"a":1},]',
    "an endless name": b'[{"' + b"x" * 5_000 + b'":1}]', "endless record": b'[{"a":"' + b"x" * 5_000_000,
}  # fmt: skip


@pytest.mark.parametrize("name", JSON)
def test_broken_json_is_reported(name: str) -> None:
    with pytest.raises(Unreadable):
        list(Records([JSON[name]], encoding="utf-8").rows())


HEADERS = {
    "years": ("Region,2024,2025\nNorth,120,80\nSouth,90,75\n", True, "texts"),
    "only years": ("2023,2024,Total\n1,2,3\n4,5,9\n", True, "other_values"),
    "boolean over numbers": ("No,Name\n1,Ada\n2,Bob\n", True, "other_values"),
    "boolean over texts": ("Name,Yes\nAda,Acme\nBob,Bolt\n", True, "texts"),
    "names over texts": ("Name,Town\nAda,Rome\n", True, "texts"),
    "number over dates": ("Due,12\n2027-01-01,2027-01-02\n", True, "other_values"),
    "quoted by an export": ('"1","Yes",b\r\n1,Yes,c\r\n', True, "other_values"),
    "quoted without rows": ('"2025"\r\n', True, "texts"),
    "quoted above an empty cell": ('"0"\r\n""\r\n', True, "texts"),
    "all cells quoted": ('"1","Ada"\n"2","Bob"\n', False, "same_values"),
    "values": ("Ada,12,2027-01-01\nBob,14,2027-01-02\n", False, "same_values"),
    "years below a year": ("Ada,2024\nBob,2025\n", False, "same_values"),
    "value that repeats": ("Ada,yes\nBob,maybe\nCid,yes\nDoe,perhaps\n", False, "same_values"),
    "no number in the first row": ("Ada,n/a,12\nBob,7,13\nCid,8,14\n", False, "same_values"),
    "repeated": ("Ada,Ada\nBob,Cid\n", False, "repeated"),
    "blank": (",\nBob,Cid\n", False, "blank"),
}  # fmt: skip


@pytest.mark.parametrize("case", HEADERS)
def test_a_header_is_detected_by_the_values_below_it(case: str) -> None:
    text, header, reason = HEADERS[case]
    source = sniff(lambda: [text.encode()], source=Source("delimited")).source
    assert (source.header, source.header_reason) == (header, reason)


def test_known_names_are_recognized_as_a_header() -> None:
    raw = b"1,2,Total\n1,2,3\n4,5,9\n"
    assert sniff(lambda: [raw], source=Source("delimited")).names == ("Column 1", "Column 2", "Column 3")
    assert sniff(lambda: [raw], source=Source("delimited"), known=["1", "2"]).names == ("1", "2", "Total")


def test_the_delimiter_with_even_rows_is_chosen() -> None:
    assert guess_delimiter(["a;b,c\n", "1;2,5\n", "3;4,5\n", "6;7\n"]) == ";"


def test_empty_and_duplicate_headers_get_names() -> None:
    assert column_names([2024.0, 1.5]) == ["2024", "1.5"]
    assert column_names(["Name", "", "name", None, "Name 2"]) == ["Name", "Column 2", "name 2", "Column 4", "Name 2 2"]

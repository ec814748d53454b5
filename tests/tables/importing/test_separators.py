"""The decimal separator of a file: detected from its values, else that of the reader, who can change it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from hypothesis import given
from hypothesis import strategies as st

from tables.api.imports.reader_defaults import decimal_separator
from tables.column_types.decimal_separators import number_parts, separators_of
from tables.importing.file_formats.source import ReaderDefaults, Source
from tables.importing.separators import SeparatorCount, choose_separators
from tables.importing.sniffing import SAMPLE_ROWS, sniff
from tables.models import Import, Table
from tests.background_worker import work
from tests.conftest import Api
from tests.tables.importing.files import decide, rows_of, run, uploaded

OTHER = {".": ",", ",": "."}
SEPARATORS = st.sampled_from([".", ","])


def written(whole: int, fraction: str, *, separator: str, grouped: bool) -> str:
    """Return a number as written with this decimal separator, optionally with grouping."""
    text = f"{whole:,}".replace(",", OTHER[separator]) if grouped else str(whole)
    return f"{text}{separator}{fraction}" if fraction else text


NUMBERS = st.builds(
    lambda whole, fraction, grouped: (whole, fraction, grouped),
    st.integers(0, 10**9), st.text("0123456789", max_size=4), st.booleans(),
)  # fmt: skip


@given(number=NUMBERS, separator=SEPARATORS, sign=st.sampled_from(["", "-", "+", "$", "-€"]))
def test_written_numbers_are_never_read_with_the_other_separator(
    number: tuple[int, str, bool], separator: str, sign: str
) -> None:
    whole, fraction, grouped = number
    text = sign + written(whole, fraction, separator=separator, grouped=grouped)
    minus = "-" if "-" in sign else ""
    assert number_parts(text, separator=separator) == (f"{minus}{whole}", fraction)
    assert separators_of(text) in ("", separator, ".,")


@given(numbers=st.lists(NUMBERS, min_size=1, max_size=8), separator=SEPARATORS, default=SEPARATORS, data=st.data())
def test_only_ambiguous_values_are_read_with_the_default(
    numbers: list[tuple[int, str, bool]], separator: Any, default: Any, data: Any
) -> None:
    texts = [written(whole, fraction, separator=separator, grouped=grouped) for whole, fraction, grouped in numbers]
    counts = {place: SeparatorCount() for place in range(3)}
    for text in data.draw(st.permutations(texts)):
        counts[data.draw(st.integers(0, 2))].add(text)
    chosen = choose_separators(counts, numbers=range(3), default=default)
    # Independent rule: a number without several groups or a fraction of other than three digits is ambiguous.
    two_ways = [text for text in texts if re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", text)]
    if any(not text.isdigit() and text not in two_ways for text in texts):
        assert {(choice.separator, choice.unclear) for choice in chosen.values()} == {(separator, "")}
    else:
        assert {choice.separator for choice in chosen.values()} == {default}
        assert bool([choice for choice in chosen.values() if choice.unclear]) == bool(two_ways)


def found(text: str, *, decimal: Any = "", default: Any = ",") -> list[tuple[str, str | None, str]]:
    """Return type, format and ambiguous value of the columns of a file for this default separator."""
    source = Source("delimited", delimiter=";", decimal=decimal)
    sniffed = sniff(lambda: [text.encode()], source=source, header=True, defaults=ReaderDefaults(decimal=default))
    return [(guess.type, guess.form, guess.unclear) for guess in sniffed.guesses]


OPEN_ROWS = "1.200\n" * (SAMPLE_ROWS + 1)
FILES: dict[str, tuple[str, dict[str, str], list[tuple[str, str | None, str]]]] = {
    "one group in a German browser": ("N\n1.200\n2.500\n", {}, [("number", "comma", "1.200")]),
    "one group in an English browser": ("N\n1.200\n2.500\n", {"default": "."}, [("number", "", "1.200")]),
    "a group of commas in a German browser": ("N\n1,200\n", {}, [("number", "comma", "1,200")]),
    "two groups": ("N\n1.200\n1.234.567\n", {"default": "."}, [("number", "comma", "")]),
    "a group and a fraction": ("N\n1,200\n1,234.56\n", {}, [("number", "", "")]),
    "a short fraction": ("N\n1,200\n12,5\n", {"default": "."}, [("number", "comma", "")]),
    "a fraction after zero": ("N\n0.125\n1.200\n", {}, [("number", "", "")]),
    "whole numbers alone": ("N\n12\n", {}, [("number", "comma", "")]),
    "another column decides": ("N;P\n1.200;9,99\n", {"default": "."}, [("number", "comma", "")] * 2),
    "the other columns contradict each other": (
        "N;P;Q\n1.200;9,99;9.99\n", {}, [("number", "comma", "1.200"), ("number", "comma", ""), ("number", "", "")],
    ),
    "a row after the sample": (f"N\n{OPEN_ROWS}1.200,50\n", {"default": "."}, [("number", "comma", "")]),
    "chosen by the reader": ("N\n1.200\n", {"decimal": "."}, [("number", "", "")]),
    "money has thousands": ("N\n$1,200\n", {}, [("number", "", "$1,200")]),
    "money of a decimal comma in a German browser": ("N\n1,799 €\n", {}, [("number", "comma", "1,799 €")]),
    "money of a decimal comma in an English browser": ("N\n1,799 €\n", {"default": "."}, [("number", "", "1,799 €")]),
    "money with its sign apart": ("N\n-€ 1,799\n", {}, [("number", "comma", "-€ 1,799")]),
    "per cent": ("N\n12,5 %\n7 %\n", {"default": "."}, [("number", "comma", "")]),
    "a word among numbers": ("N\n" + "1.200\n" * 19 + "n/a\n", {}, [("number", "comma", "1.200")]),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_the_separator_of_a_file(name: str) -> None:
    text, how, expected = FILES[name]
    assert found(text, **how) == expected


@pytest.mark.parametrize(
    ("locale", "separator"),
    [("de", ","), ("de-AT", ","), ("de-CH", "."), ("fr-FR", ","), ("es-MX", "."), ("en-GB", "."), ("xx", ".")],
)
def test_the_separator_of_a_language(locale: str, separator: str) -> None:
    assert decimal_separator(locale) == separator


GERMAN = {"HTTP_ACCEPT_LANGUAGE": "de-DE,de;q=0.9,en;q=0.8"}
OPEN = b"Ort;Einwohner\nA;1.200\nB;2.500\n"


@pytest.mark.django_db(transaction=True)
def test_german_readers_see_the_separator_and_can_change_it(api: Api) -> None:
    sent = api.client.post("/tables/import/", {"file": SimpleUploadedFile("orte.csv", OPEN)}, **GERMAN)
    address = sent["Location"]
    page = api.client.get(address, **GERMAN).content.decode()
    assert "„1.200“ kann 1,2 oder 1200 bedeuten. Es wird als 1200 gelesen." in page
    assert "<td>1200 <small>(1.200)</small></td>" in page
    assert 'value="comma" selected' in page

    again = {"do": "read", "delimiter": ";", "has_header": "1", "header": "1"}
    api.client.post(address, {**again, "decimal": "."}, **GERMAN)
    page = api.client.get(address, **GERMAN).content.decode()
    assert "<td>1,2 <small>(1.200)</small></td>" in page
    assert "kann 1,2 oder 1200 bedeuten" not in page

    api.client.post(address, {**again, "decimal": ""}, **GERMAN)
    assert run(api, {"id": Import.objects.get().pk})["state"] == "done"
    assert [row["Einwohner"] for row in rows_of(api, Import.objects.get().table_id or 0)] == [1200, 2500]


@pytest.mark.django_db(transaction=True)
def test_the_import_page_is_completely_in_german(api: Api) -> None:
    file = SimpleUploadedFile("a.csv", b"12;n\n" + b"1,5;n\n" * 18 + b"1.5;n\n")
    page = api.client.get(api.client.post("/tables/import/", {"file": file}, **GERMAN)["Location"], **GERMAN)
    text = page.content.decode()
    assert "Spalte 1" in text
    assert "Semikolon" in text
    assert "95 % der Beispielwerte passen zu einem Dezimalkomma, nicht aber „1.5“" in text


@pytest.mark.django_db(transaction=True)
def test_api_clients_get_a_decimal_point_by_default(api: Api) -> None:
    token = api.post("/api/tokens/", {"name": "import", "scope": "write"}).json()["token"]
    headers = {"HTTP_AUTHORIZATION": f"Bearer {token}", **GERMAN}
    body = {"text": "N\n1.200\n"}
    imported = api.client.post("/api/imports/", body, content_type="application/json", **headers).json()
    (column,) = imported["columns"]
    assert (column["form"], column["found"]["unclear"], imported["source"]["decimal"]) == ("", "1.200", "")
    (column,) = decide(api, imported, decimal=",")["columns"]
    assert (column["form"], column["found"]["unclear"]) == ("comma", "")


@pytest.mark.django_db(transaction=True)
def test_numbers_with_the_other_separator_are_refused(api: Api) -> None:
    imported = uploaded(api, "N\n" + "12.5\n" * 19 + '"1.200,50"\n')
    waiting = run(api, imported)
    (cell,) = api.get(f"/api/imports/{imported['id']}/report/").json()["cells"]
    assert (waiting["state"], cell["value"], cell["message_code"]) == ("waiting", "1.200,50", "not_decimal_point")


@pytest.mark.django_db(transaction=True)
def test_text_columns_converted_to_numbers_use_the_separator_of_the_file(api: Api, jobs: Table) -> None:
    sent = api.client.post(
        "/tables/import/", {"text": "Company;Salary\nA;1.200\nB;n/a\n", "table": str(jobs.pk)}, **GERMAN
    )
    address = sent["Location"]
    imported = {"id": int(address.strip("/").split("/")[-1])}
    run(api, imported)
    api.client.post(address, {"do": "go_on", "on_refused": "skip"}, **GERMAN)
    work()
    assert [row["Salary"] for row in rows_of(api, jobs.pk) if row["Company"] == "A"] == [1200]

"""The pages of imports without scripts."""
from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse

from tables.models import Import, Table
from tests.background_worker import work
from tests.conftest import Api
from tests.tables.importing.files import rows_of, uploaded

pytestmark = pytest.mark.django_db(transaction=True)


def fields_of(page: HttpResponse) -> dict[str, str]:
    """Return the fields that a browser would send for the unchanged column form."""
    text = page.content.decode()
    form = text[text.index('id="decide"') : text.index("</form>", text.index('id="decide"'))]
    sent = {}
    for tag in re.findall(r"<input [^>]*>", form):
        name, value = (re.search(rf'\b{key}="([^"]*)"', tag) for key in ("name", "value"))
        if name and value and ('type="checkbox"' not in tag or " checked" in tag):
            sent[name[1]] = value[1]
    for name, options in re.findall(r'<select [^>]*name="([^"]*)"[^>]*>(.*?)</select>', form, re.DOTALL):
        chosen = re.search(r'value="([^"]*)" selected', options) or re.search(r'value="([^"]*)"', options)
        sent[name] = chosen[1] if chosen else ""
    return sent


def test_a_file_is_uploaded_checked_and_imported(api: Api) -> None:
    file = SimpleUploadedFile("jobs.csv", b"Company,Since\nAcme,03/04/2024\n")
    sent = api.client.post("/tables/import/", {"file": file})
    address = sent["Location"]
    page = api.client.get(address)
    assert b"Is the day or the month first?" in page.content
    again = api.client.post(address, {**fields_of(page), "run": "1"}, follow=True)
    assert b"Choose the date format of" in again.content
    fields = {**fields_of(again), "form-1": "dmy", "name-0": "Firm", "run": "1"}
    running = api.client.post(address, fields, follow=True)
    assert b"Waiting to start" in running.content
    work()
    done = api.client.get(address).content.decode()
    table = Import.objects.get().table_id
    assert "1 row was added." in done
    assert f"/tables/{table}/" in done
    assert rows_of(api, table) == [{"Firm": "Acme", "Since": "2024-04-03"}]


def test_refused_cells_are_listed_and_decided(api: Api, jobs: Table) -> None:
    imported = uploaded(api, "Company,Salary\nDune,much\nErgo,5\n", table=jobs.pk)
    address = f"/tables/imports/{imported['id']}/"
    api.client.post(address, {**fields_of(api.client.get(address)), "run": "1"})
    work()
    report = api.client.get(address).content.decode()
    assert "1 cell is not valid." in report
    assert "much" in report
    api.client.post(address, {"do": "go_on", "on_refused": "skip"})
    work()
    assert [row["Company"] for row in rows_of(api, jobs.pk)[3:]] == ["Ergo"]


def test_the_format_of_a_file_can_be_corrected(api: Api) -> None:
    imported = uploaded(api, "a;b\n1;2\n")
    address = f"/tables/imports/{imported['id']}/"
    api.client.post(address, {"do": "read", "encoding": "cp1252", "delimiter": "|", "has_header": "1"})
    found = api.get(f"/api/imports/{imported['id']}/").json()
    source = found["source"]
    assert (source["encoding"], source["delimiter"], source["header"]) == ("cp1252", "|", False)
    assert [column["name"] for column in found["columns"]] == ["Column 1"]


def test_pasted_rows_are_imported(api: Api, jobs: Table) -> None:
    sent = api.client.post("/tables/import/", {"text": "Company\tSalary\nDune\t7\n", "table": str(jobs.pk)})
    found = api.get(f"/api/imports/{sent['Location'].strip('/').split('/')[-1]}/").json()
    assert found["source"]["delimiter"] == "\t"
    assert all(column["into"] is not None for column in found["columns"])


UNREADABLE = [("x.csv", b"\x00\x01\x02" * 99), ("x.xlsx", b"PK\x03\x04no"), ("x.csv", b"")]


@pytest.mark.parametrize(("name", "content"), UNREADABLE, ids=["no text", "no workbook", "nothing"])
def test_unreadable_files_are_refused_with_a_message(api: Api, name: str, content: bytes) -> None:
    answer = api.client.post("/tables/import/", {"file": SimpleUploadedFile(name, content)})
    assert (answer.status_code, b'role="alert"' in answer.content) == (422, True)
    assert Import.objects.count() == 0


def test_the_maximum_number_of_columns_can_be_mapped(api: Api) -> None:
    names, values = ",".join(f"N{number}" for number in range(500)), ",".join(map(str, range(2, 502)))
    imported = uploaded(api, f"{names}\n{values}\n")
    address = f"/tables/imports/{imported['id']}/"
    sent = {**fields_of(api.client.get(address)), "name-499": "Last", "keep": "1"}
    assert len(sent) > 1_500
    assert api.client.post(address, sent).status_code == 302
    assert api.get(f"/api/imports/{imported['id']}/").json()["columns"][499]["name"] == "Last"


def wide(api: Api, *, number: int) -> tuple[int, str]:
    """Create a table and an import with this number of columns; return the table's id and the import's page."""
    names = [f"N{each}" for each in range(number)]
    columns = [{"name": name, "type": "number"} for name in names]
    created = api.post("/api/tables/", {"name": "Wide", "columns": columns})
    table = created.json()["id"]
    text = "\n".join([",".join(names), ",".join(map(str, range(number)))])
    return table, f"/tables/imports/{uploaded(api, text, table=table)['id']}/"


def test_many_columns_are_mapped_by_typed_names(api: Api) -> None:
    table, address = wide(api, number=80)
    page = api.client.get(address)
    # The list of target columns is rendered once; each column has its own types and number formats.
    assert page.content.count(b"<option") < 80 * 11
    fields = fields_of(page)
    assert [fields[f"place-{each}"] for each in (0, 79)] == ["N0", "N79"]
    fields |= {"place-0": " n1 ", "place-1": "n0", "place-2": "", "name-2": "Of its own", "run": "1"}

    # An unknown name starts nothing, and all other choices stay selected.
    refused = api.client.post(address, {**fields, "place-79": "N97"}, follow=True)
    assert "The table has no column “N97”." in refused.content.decode()
    again = fields_of(refused)
    assert [again[f"place-{each}"] for each in (0, 1, 2, 79)] == ["N1", "N0", "", "N79"]
    assert Import.objects.get().state == Import.State.READY

    api.client.post(address, {**again, "run": "1"})
    work()
    (row,) = rows_of(api, table)
    assert [row.get(name) for name in ("N0", "N1", "N2", "N79", "Of its own")] == [1, 0, None, 79, 2]


PASTED_TOO_MUCH = {
    "as our page sends it": {},
    "as any form may": {"content_type": "application/x-www-form-urlencoded"},
}


@pytest.mark.parametrize("form", PASTED_TOO_MUCH.values(), ids=PASTED_TOO_MUCH)
def test_too_many_pasted_rows_are_refused_with_an_alternative(
    api: Api, jobs: Table, settings: Any, form: dict[str, Any]
) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
    door, text = f"/tables/import/?table={jobs.pk}", "Company\n" + "x" * settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    answer = api.client.post(door, f"text={text}" if form else {"text": text}, **form)
    page = answer.content.decode()
    assert answer.status_code == 413
    assert "You can paste up to 1 MB. Nothing was changed. Save the rows as a file and upload it" in page
    assert f'href="{door}"' in page
    assert f'action="{door}"' in api.client.get(door).content.decode()
    assert Import.objects.count() == 0


def test_other_forms_over_the_limit_are_refused_with_the_limit(api: Api, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
    answer = api.client.post("/profile/", {"first_name": "x" * settings.DATA_UPLOAD_MAX_MEMORY_SIZE})
    assert (answer.status_code, "You can send up to 1 MB at once." in answer.content.decode()) == (413, True)


def test_a_cancelled_import_is_shown_as_cancelled(api: Api) -> None:
    imported = uploaded(api, "a,b\n1,2\n")
    page = api.client.post(f"/tables/imports/{imported['id']}/", {"do": "cancel"}, follow=True)
    assert b"This import was cancelled." in page.content


def test_imports_of_other_users_are_404(api: Api, other_api: Api) -> None:
    imported = uploaded(api, "a,b\n1,2\n")
    assert other_api.client.get(f"/tables/imports/{imported['id']}/").status_code == 404
    assert other_api.client.post(f"/tables/imports/{imported['id']}/", {"do": "cancel"}).status_code == 404

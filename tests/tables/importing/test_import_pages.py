"""The pages of imports, as they work without scripts."""
from __future__ import annotations

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse

from tables.models import Import, Table
from tests.conftest import Api
from tests.tables.importing.files import rows_of, uploaded
from tests.working import work

pytestmark = pytest.mark.django_db(transaction=True)


def fields_of(page: HttpResponse) -> dict[str, str]:
    """What a browser would send of the form for the columns, if nothing were touched."""
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


def test_a_file_is_chosen_looked_at_and_imported_without_scripts(api: Api) -> None:
    file = SimpleUploadedFile("jobs.csv", b"Company,Since\nAcme,03/04/2024\n")
    sent = api.client.post("/tables/import/", {"file": file})
    address = sent["Location"]
    page = api.client.get(address)
    assert b"Is the day or the month first?" in page.content
    again = api.client.post(address, {**fields_of(page), "run": "1"}, follow=True)
    assert b"Say how dates of" in again.content
    fields = {**fields_of(again), "form-1": "dmy", "name-0": "Firm", "run": "1"}
    running = api.client.post(address, fields, follow=True)
    assert b"Waiting to begin" in running.content
    work()
    done = api.client.get(address).content.decode()
    table = Import.objects.get().table_id
    assert "1 row was added." in done
    assert f"/tables/{table}/" in done
    assert rows_of(api, table) == [{"Firm": "Acme", "Since": "2024-04-03"}]


def test_refused_cells_are_shown_and_decided_about_without_scripts(api: Api, jobs: Table) -> None:
    imported = uploaded(api, "Company,Salary\nDune,much\nErgo,5\n", table=jobs.pk)
    address = f"/tables/imports/{imported['id']}/"
    api.client.post(address, {**fields_of(api.client.get(address)), "run": "1"})
    work()
    report = api.client.get(address).content.decode()
    assert "1 cell cannot be read." in report
    assert "much" in report
    api.client.post(address, {"do": "go_on", "on_refused": "skip"})
    work()
    assert [row["Company"] for row in rows_of(api, jobs.pk)[3:]] == ["Ergo"]


def test_the_way_a_file_is_read_can_be_corrected(api: Api) -> None:
    imported = uploaded(api, "a;b\n1;2\n")
    address = f"/tables/imports/{imported['id']}/"
    api.client.post(address, {"do": "read", "encoding": "cp1252", "delimiter": "|", "has_header": "1"})
    found = api.get(f"/api/imports/{imported['id']}/").json()
    source = found["source"]
    assert (source["encoding"], source["delimiter"], source["header"]) == ("cp1252", "|", False)
    assert [column["name"] for column in found["columns"]] == ["Column 1"]


def test_pasted_rows_go_the_same_way(api: Api, jobs: Table) -> None:
    sent = api.client.post("/tables/import/", {"text": "Company\tSalary\nDune\t7\n", "table": str(jobs.pk)})
    found = api.get(f"/api/imports/{sent['Location'].strip('/').split('/')[-1]}/").json()
    assert found["source"]["delimiter"] == "\t"
    assert all(column["into"] is not None for column in found["columns"])


UNREADABLE = [("x.csv", b"\x00\x01\x02" * 99), ("x.xlsx", b"PK\x03\x04no"), ("x.csv", b"")]


@pytest.mark.parametrize(("name", "content"), UNREADABLE, ids=["no text", "no workbook", "nothing"])
def test_a_file_that_cannot_be_read_is_refused_with_a_sentence(api: Api, name: str, content: bytes) -> None:
    answer = api.client.post("/tables/import/", {"file": SimpleUploadedFile(name, content)})
    assert (answer.status_code, b'role="alert"' in answer.content) == (422, True)
    assert Import.objects.count() == 0


def test_as_many_columns_as_a_table_has_can_be_decided_about(api: Api) -> None:
    names, values = ",".join(f"N{number}" for number in range(500)), ",".join(map(str, range(2, 502)))
    imported = uploaded(api, f"{names}\n{values}\n")
    address = f"/tables/imports/{imported['id']}/"
    sent = {**fields_of(api.client.get(address)), "name-499": "Last", "keep": "1"}
    assert len(sent) > 1_500
    assert api.client.post(address, sent).status_code == 302
    assert api.get(f"/api/imports/{imported['id']}/").json()["columns"][499]["name"] == "Last"


def test_a_cancelled_import_says_so(api: Api) -> None:
    imported = uploaded(api, "a,b\n1,2\n")
    page = api.client.post(f"/tables/imports/{imported['id']}/", {"do": "cancel"}, follow=True)
    assert b"This import was cancelled." in page.content


def test_nobody_opens_the_import_of_another(api: Api, other_api: Api) -> None:
    imported = uploaded(api, "a,b\n1,2\n")
    assert other_api.client.get(f"/tables/imports/{imported['id']}/").status_code == 404
    assert other_api.client.post(f"/tables/imports/{imported['id']}/", {"do": "cancel"}).status_code == 404

"""Templates show hidden characters as their code points, as scripts do."""
from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.template import Context, Template

from tests.conftest import Api

SPOOF = "invoice\u202efdp.exe"
MARKED = "invoice<span class=\"hidden-char\" title=\"Invisible character\">U+202E</span>fdp.exe"
SCRIPT = Path(__file__).parents[2] / "static/element.js"


def rendered(text: str) -> str:
    html = Template("{% load display %}{{ text|revealed }}").render(Context({"text": text}))
    return re.sub(r'<span class="hidden-char" title="[^"]*">(U\+[0-9A-F]+)</span>', r"[\1]", html)


HIDDEN = {
    "a zero-width space": ("pay\u200bpal", "pay[U+200B]pal"),
    "a direction override": (SPOOF, "invoice[U+202E]fdp.exe"),
    "a byte order mark": ("\ufeffA", "[U+FEFF]A"),
    "invisible tags": ("a\U000e0041", "a[U+E0041]"),
    "a joiner among plain letters": ("a\u200db", "a[U+200D]b"),
    "an escape": ("\x1b[31m", "[U+001B][31m"),
}


@pytest.mark.parametrize(("text", "shown"), HIDDEN.values(), ids=HIDDEN.keys())
def test_hidden_characters_are_shown_as_code_points(text: str, shown: str) -> None:
    assert rendered(text) == shown


@pytest.mark.parametrize("text", ["a\n\tb", "👩‍👩‍👧", "می‌خواهم", "Acme, Inc."])
def test_text_without_hidden_characters_is_unchanged(text: str) -> None:
    assert rendered(text) == text


def test_markup_is_escaped() -> None:
    assert rendered("<b>\u200b</b>") == "&lt;b&gt;[U+200B]&lt;/b&gt;"


def test_scripts_and_templates_look_for_the_same_characters() -> None:
    script = SCRIPT.read_text(encoding="utf-8")
    assert r"\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff" in script


def test_pages_mark_hidden_characters_in_names(api: Api, anonymous_api: Api) -> None:
    body = {"name": SPOOF, "columns": [{"name": SPOOF, "type": "text"}]}
    table = api.post("/api/tables/", body).json()["id"]
    link = api.post(f"/api/tables/{table}/link/").json()["url"]
    invitation = api.post(f"/api/tables/{table}/members/", {"kind": "link", "role": "viewer"}).json()["url"]
    pages = [f"/tables/{table}/", f"/tables/{table}/edit/", f"/tables/{table}/history/", "/tables/", link, invitation]
    unmarked = [page for page in pages if MARKED not in api.get(page).content.decode()]
    assert unmarked == []

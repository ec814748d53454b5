"""Module preloading: the template tags of `modules`."""

from __future__ import annotations

import json
from html import unescape
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.template import Context, Template

from chatproject.templatetags.scripts import imported_by
from tables.checks import check_scripts
from tables.column_types import register_column_type
from tests.snapshots import UPDATE_HINT, snapshot
from tests.tables.column_types.email_type import Email, registered_email_type


def test_a_module_is_listed_with_its_imports_once_each() -> None:
    names = imported_by(("chat/turn_list.js",))
    assert names[0] == "chat/turn_list.js"
    assert {"api.js", "element.js", "vendor/markdown-it.mjs"} <= set(names)
    assert len(names) == len(set(names))


def test_lazily_loaded_modules_are_not_preloaded() -> None:
    assert "vendor/markdown-it.mjs" not in imported_by(("app.js", "chat/tray.js", "chat/pages/table_view.js"))


def test_listed_modules_exist() -> None:
    assert [name for name in imported_by(("app.js", "chat/tray.js")) if finders.find(name) is None] == []


def test_each_module_has_one_link() -> None:
    html = Template('{% load scripts %}{% modulepreload "locale.js" %}').render(Context())
    assert html.count("<link") == 1
    assert 'rel="modulepreload"' in html
    assert "locale" in html


def test_later_modules_are_linked_in_a_template_without_preloaded_ones() -> None:
    template = '{% load scripts %}{% modules_later "turn-list" "chat/turn_list.js" "chat/tray.js" %}'
    html = Template(template).render(Context())
    assert html.startswith('<template data-modules="turn-list"><link rel="modulepreload"')
    assert "chat/turn_view" in html
    assert "element" not in html


DECLARED_TYPES = Path(__file__).parents[1] / "js/tables/declared_types.json"
SCRIPTS = "{% load scripts %}{% column_type_scripts %}"


def test_column_types_are_declared_to_scripts_as_in_the_tests_of_scripts() -> None:
    html = Template(SCRIPTS).render(Context())
    declared = json.loads(unescape(html.removeprefix('<meta name="column-types" content="').removesuffix('">')))
    text = json.dumps(declared, indent=2, ensure_ascii=False) + "\n"
    assert text == snapshot(text, file=DECLARED_TYPES), UPDATE_HINT


def test_the_script_of_a_custom_column_type_is_loaded() -> None:
    with registered_email_type(script="tables/column_types/registry.js"):
        html = Template(SCRIPTS).render(Context())
        assert check_scripts(None) == []
    assert html.count('<script type="module" src="') == 1
    assert html.index('rel="modulepreload"') < html.index("<script")
    assert "tables/column_types/registry" in html


def test_a_missing_script_fails_the_system_check() -> None:
    with registered_email_type(script="addresses/missing.js"):
        (error,) = check_scripts(None)
    assert (error.id, "addresses/missing.js" in error.msg) == ("tables.E001", True)


@pytest.mark.parametrize("script", ["https://x.org/a.js", "//x.org/a.js", "../a.js", "/a.js", "a.css", 'a".js'])
def test_column_type_scripts_must_be_static_files(script: str) -> None:
    with pytest.raises(ValueError, match="static file"):
        register_column_type(Email(), script=script)

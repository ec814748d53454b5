"""Which modules a page announces."""

from __future__ import annotations

import pytest
from django.contrib.staticfiles import finders
from django.template import Context, Template

from chatproject.templatetags.modules import imported_by
from tables.checks import check_scripts
from tables.column_types import register_column_type
from tests.tables.column_types.email_type import Email, known


def test_a_module_is_announced_with_all_it_imports_each_once() -> None:
    names = imported_by(("chat/turn_list.js",))
    assert names[0] == "chat/turn_list.js"
    assert {"api.js", "element.js", "vendor/markdown-it.mjs"} <= set(names)
    assert len(names) == len(set(names))


def test_what_is_fetched_later_is_announced_by_no_page_before() -> None:
    assert "vendor/markdown-it.mjs" not in imported_by(("app.js", "chat/tray.js", "chat/pages/table_view.js"))


def test_what_is_announced_is_there() -> None:
    assert [name for name in imported_by(("app.js", "chat/tray.js")) if finders.find(name) is None] == []


def test_a_page_holds_one_link_a_module() -> None:
    html = Template('{% load modules %}{% modulepreload "locale.js" %}').render(Context())
    assert html.count("<link") == 1
    assert 'rel="modulepreload"' in html
    assert "locale" in html


def test_what_comes_later_lies_ready_in_a_template_but_for_what_is_there() -> None:
    later = '{% load modules %}{% modules_later "turn-list" "chat/turn_list.js" "chat/tray.js" %}'
    html = Template(later).render(Context())
    assert html.startswith('<template data-modules="turn-list"><link rel="modulepreload"')
    assert "chat/turn_view" in html
    assert "element" not in html


SCRIPTS = "{% load modules %}{% column_type_scripts %}"


def test_a_page_names_no_script_of_a_column_type_when_no_app_brought_one() -> None:
    with known():
        assert Template(SCRIPTS).render(Context()).strip() == ""


def test_a_page_loads_the_script_that_came_with_a_column_type() -> None:
    with known(script="tables/column_types/registry.js"):
        html = Template(SCRIPTS).render(Context())
        assert check_scripts(None) == []
    assert html.count('<script type="module" src="') == 1
    assert html.index('rel="modulepreload"') < html.index("<script")
    assert "tables/column_types/registry" in html


def test_a_script_that_is_not_there_is_told_before_any_page_needs_it() -> None:
    with known(script="addresses/missing.js"):
        (told,) = check_scripts(None)
    assert (told.id, "addresses/missing.js" in told.msg) == ("tables.E001", True)


@pytest.mark.parametrize("script", ["https://x.org/a.js", "//x.org/a.js", "../a.js", "/a.js", "a.css", 'a".js'])
def test_a_script_is_a_static_file_of_the_project(script: str) -> None:
    with pytest.raises(ValueError, match="static file"):
        register_column_type(Email(), script=script)

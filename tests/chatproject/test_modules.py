"""Which modules a page announces."""

from __future__ import annotations

from django.contrib.staticfiles import finders
from django.template import Context, Template

from chatproject.templatetags.modules import imported_by


def test_a_module_is_announced_with_all_it_imports_each_once() -> None:
    names = imported_by(("chat/tray.js",))
    assert names[0] == "chat/tray.js"
    assert {"api.js", "chat/sse.js", "vendor/markdown-it.mjs"} <= set(names)
    assert len(names) == len(set(names))


def test_what_is_announced_is_there() -> None:
    assert [name for name in imported_by(("app.js", "chat/tray.js")) if finders.find(name) is None] == []


def test_a_page_holds_one_link_a_module() -> None:
    html = Template('{% load modules %}{% modulepreload "chat/sse.js" %}').render(Context())
    assert html.count("<link") == 1
    assert 'rel="modulepreload"' in html
    assert "chat/sse" in html

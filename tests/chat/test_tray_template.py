"""The chat at the side of another application's page, without variables of its own."""
from __future__ import annotations

import re

from django.template.loader import render_to_string
from django.test import RequestFactory

from chat.page_config import PageConfig, pages


def test_tray_of_a_minimal_page_is_neutral() -> None:
    with pages.registered(PageConfig(page="minimal", object_key="note_id")):
        context = {"chat_page": "minimal", "chat_object_id": "7"}
        tray = render_to_string("chat/_tray.html", context, request=RequestFactory().get("/"))

    assert 'data-object-key="note_id"' in tray
    without_addresses = re.sub(r'rows="1"|(?:src|data-notices)="[^"]*"', "", tray)
    assert re.findall(r"\b(?:tables?|rows?|columns?|import)\b", without_addresses) == []


def test_notice_of_the_demo_model_depends_on_the_page() -> None:
    request = RequestFactory().get("/")
    pages_of_trays = ("table_view", "reports")
    trays = [render_to_string("chat/_tray.html", {"chat_page": page}, request=request) for page in pages_of_trays]

    assert ["about ten kinds of requests" in tray for tray in trays] == [True, False]
    assert ["requests prepared for this page" in tray for tray in trays] == [False, True]

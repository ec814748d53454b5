"""The model menu where users may choose a model, and a model with a slow first token."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, expect

from tests.browser.actions import send_message
from tests.browser.app_process import RunningApp
from tests.scripted_model import Gate, ScriptedModel
from tests.scripted_model import say as reply

ALLOW_CHOICE = """
from django.contrib.auth.models import User
from django.utils import timezone
from chat.configuration import Address
from chat.services.configuration.changes import RESET, Edit, change_configuration
change_configuration(
    user=User.objects.first(),
    edits=[Edit(Address("page", "tables_list"), {{"allow_model_choice": {value}}})],
    now=timezone.now(),
)
"""


@contextmanager
def choice_allowed(app: RunningApp) -> Iterator[None]:
    """Let users choose the model on the list of tables."""
    app.manage("shell", "--no-imports", "-c", ALLOW_CHOICE.format(value=True))
    try:
        yield
    finally:
        app.manage("shell", "--no-imports", "-c", ALLOW_CHOICE.format(value="RESET"))


def test_the_chosen_model_answers_and_a_long_wait_is_shown(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    gate = Gate()
    scripted.add(reply("Here I am.", gate=gate), reply("The first one."))
    with choice_allowed(scripted_app):
        page = open_page(scripted_app.link_for_new_user())
        menu = page.get_by_role("combobox", name="Model")
        expect(menu.get_by_role("option")).to_have_text(["first", "The other one"])
        menu.select_option("The other one")
        send_message(page, "hello")
        log = page.get_by_role("log")
        expect(log).to_contain_text("Loading the model")
        gate.open()
        expect(log).to_contain_text("Here I am.")
        expect(log).to_have_attribute("aria-busy", "false")
        menu.select_option("first")
        send_message(page, "and you?")
        expect(log).to_contain_text("The first one.")

    assert [request["model"] for request in scripted.requests] == ["other", "scripted"]

"""Stored tests of prompts: their list, form, deletion and restoring, and the data for the section "Try it"."""
from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect, JsonResponse, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from chat.admin.configuration.base import UNPROCESSABLE, ConfigurationPages
from chat.admin.configuration.preview_targets import place_choices, read_place
from chat.exceptions import ChatError, Invalid
from chat.models import PromptTest
from chat.selectors.configuration.names import readable_name
from chat.selectors.configuration.prompt_tests import (
    deleted_prompt_tests,
    get_prompt_test,
    next_position,
    prompt_tests,
)
from chat.services.configuration.prompt_tests import (
    MAX_MESSAGES,
    delete_prompt_test,
    faults_of_prompt_test,
    restore_prompt_test,
    save_prompt_test,
)
from shared import strictjson
from shared.user_messages import literal

# Empty boxes for further messages in the form.
EMPTY_BOXES = 2
# Deleted tests that the list offers to restore.
MAX_DELETED = 50
# More digits than the largest position has.
MAX_DIGITS = 9

Json = dict[str, Any]


class PromptTestPages(ConfigurationPages):
    """Pages of the stored tests."""

    def prompt_tests(self, request: HttpRequest) -> HttpResponse:
        """List all tests by page."""
        deleted = deleted_prompt_tests()[:MAX_DELETED]
        return self.render(
            request, "prompt_tests", title="Stored tests", tests=list(prompt_tests()), deleted=list(deleted)
        )

    def prompt_test(self, request: HttpRequest, *, pk: int = 0) -> HttpResponse:
        """Show the form of a test, by default of a new one; POST stores it."""
        test = get_prompt_test(pk) if pk else PromptTest(page=request.GET.get("page", ""))
        faults: dict[str, str] = {}
        if request.method == "POST":
            faults = {**_read_form(request.POST, test=test), **faults_of_prompt_test(test)}
            if not faults:
                save_prompt_test(test, user=request.user, now=timezone.now())
                messages.success(request, "The test is stored.")
                return HttpResponseRedirect(reverse("admin:chat_configuration_tests"))
        return self.render(
            request,
            "prompt_test",
            status=UNPROCESSABLE if faults else 200,
            title="Edit test" if pk else "Add test",
            test=test,
            boxes=[*test.messages, *[""] * EMPTY_BOXES][:MAX_MESSAGES],
            places=place_choices(),
            position=request.POST.get("position", test.position if pk else ""),
            faults=faults,
        )

    def prompt_test_deletion(self, request: HttpRequest, *, pk: int) -> HttpResponse:
        """Ask whether to delete a test; POST deletes it."""
        test = get_prompt_test(pk)
        if request.method == "POST":
            delete_prompt_test(test, now=timezone.now())
            restore_url = reverse("admin:chat_configuration_test_restore", args=[test.pk])
            button = '<button type="submit" class="undo" form="undo" formaction="{}">Undo</button>'
            messages.success(request, format_html("The test “{}” is deleted. " + button, test.title, restore_url))
            return HttpResponseRedirect(reverse("admin:chat_configuration_tests"))
        return self.render(request, "prompt_test_deletion", title="Delete test", test=test)

    def prompt_test_restore(self, request: HttpRequest, *, pk: int) -> HttpResponse:
        """Restore a deleted test; only POST."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        test = get_prompt_test(pk, deleted=True)
        try:
            restore_prompt_test(test)
            messages.success(request, f"The test “{test.title}” is restored.")
        except Invalid as error:
            messages.error(request, error.detail)
        return HttpResponseRedirect(reverse("admin:chat_configuration_tests"))

    def prompt_test_data(self, request: HttpRequest) -> HttpResponse:
        """Send the tests of `?page=` as JSON; POST of `{"where","title","messages"}` stores one at the end."""
        if request.method == "GET":
            page = request.GET.get("page", "-")
            tests = [_as_json(test) for test in prompt_tests(page)]
            return JsonResponse({"page": readable_name("page", page), "tests": tests})
        if request.method != "POST":
            return HttpResponseNotAllowed(["GET", "POST"])
        try:
            test = _from_json(strictjson.loads(request.body))
            save_prompt_test(test, user=request.user, now=timezone.now())
        except ChatError as error:
            return JsonResponse({"error": error.code, "detail": error.detail}, status=UNPROCESSABLE)
        return JsonResponse(_as_json(test), status=201)


def _read_form(form: QueryDict, *, test: PromptTest) -> dict[str, str]:
    """Set the fields of the test from its form, and return the faults by field."""
    faults: dict[str, str] = {}
    where, position = form.get("where", ""), form.get("position", "").strip()
    try:
        test.page, test.tab, test.subtab = read_place(where)
    except Invalid as error:
        faults["where"] = error.detail
    test.title = form.get("title", "").strip()
    # Browsers submit text fields with CRLF.
    test.messages = [text.replace("\r\n", "\n") for text in form.getlist("message") if text.strip()]
    if position.isascii() and position.isdigit() and len(position) <= MAX_DIGITS:
        test.position = int(position)
    elif not position:
        test.position = next_position(test.page)
    else:
        faults["position"] = "The sort order must be a whole number."
    return faults


def _from_json(body: Any) -> PromptTest:
    """Return a new test. Raises Invalid."""
    fields = body if isinstance(body, dict) else {}
    where, title, texts = fields.get("where"), fields.get("title", ""), fields.get("messages")
    if not (isinstance(where, str) and isinstance(title, str) and isinstance(texts, list)):
        raise Invalid(literal("A test has “where”, “title” and “messages”."))
    if not all(isinstance(text, str) for text in texts):
        raise Invalid(literal("The messages must be texts."), path="messages")
    page, tab, subtab = read_place(where)
    position = next_position(page)
    return PromptTest(page=page, tab=tab, subtab=subtab, title=title.strip(), messages=texts, position=position)


def _as_json(test: PromptTest) -> Json:
    edit_url = reverse("admin:chat_configuration_test", args=[test.pk])
    where, texts = test.place, test.messages
    return {"id": test.pk, "title": test.title, "where": where, "messages": texts, "edit_url": edit_url}

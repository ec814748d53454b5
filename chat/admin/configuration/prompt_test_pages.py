"""Stored tests of prompts: their list, form, deletion and restoring, and the data for the section "Try it"."""
from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect, JsonResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from chat.admin.configuration.base import CONFLICT, UNPROCESSABLE
from chat.admin.configuration.bound_fields import Faults, error_summary
from chat.admin.configuration.draft_pages import DraftPages, continued_draft, draft_context, forget_draft
from chat.admin.configuration.preview_targets import place_choices, read_place
from chat.admin.configuration.prompt_test_form import (
    ELEMENT_IDS,
    POSITION,
    EditedPromptTest,
    faults_by_form_field,
    read_prompt_test,
)
from chat.configuration import Address
from chat.exceptions import ChatError, Invalid, Settled
from chat.models import PromptTest
from chat.selectors.configuration.catalogue import current_catalogue
from chat.selectors.configuration.names import full_name, place_name, readable_name
from chat.selectors.configuration.prompt_tests import (
    PROMPT_TEST,
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

Json = dict[str, Any]


class PromptTestPages(DraftPages):
    """Pages of the stored tests."""

    def prompt_tests(self, request: HttpRequest) -> HttpResponse:
        """List all tests by page."""
        deleted = deleted_prompt_tests()[:MAX_DELETED]
        return self.render(
            request, "prompt_tests", title="Stored tests", tests=list(prompt_tests()), deleted=list(deleted)
        )

    def prompt_test(self, request: HttpRequest, *, pk: int = 0) -> HttpResponse:
        """Show the form of a test, by default of a new one; POST saves it."""
        test = get_prompt_test(pk) if pk else PromptTest(page=request.GET.get("page", ""))
        edited = EditedPromptTest.of(test)
        form = request.POST if request.method == "POST" else continued_draft(request, edited=edited)
        conflicts: dict[str, str] = {}
        if form is not None:
            form, conflicts = edited.resolved(form)
        faults: Faults = {}
        if form is not None:
            invalid = read_prompt_test(form, test=test)
            faults = faults_by_form_field(conflicts, invalid, faults_of_prompt_test(test))
        if request.method == "POST" and not faults:
            try:
                save_prompt_test(test, user=request.user, now=timezone.now())
            except Settled:
                # Another administrator saved it after it was read.
                return self.prompt_test(request, pk=pk)
            forget_draft(request, edited=edited)
            messages.success(request, "Saved." if pk else "Added.")
            return HttpResponseRedirect(reverse("admin:chat_configuration_test", args=[test.pk]))
        return self.render(
            request,
            "prompt_test",
            status=(CONFLICT if conflicts else UNPROCESSABLE) if request.method == "POST" else 200,
            title="Edit test" if pk else "Add test",
            test=test,
            boxes=[*test.messages, *[""] * EMPTY_BOXES][:MAX_MESSAGES],
            places=place_choices(),
            position=form.get(POSITION, "") if form is not None else test.position if pk else "",
            faults=faults if request.method == "POST" else {},
            errors=error_summary(faults, ids=ELEMENT_IDS) if request.method == "POST" else [],
            draft=edited,
            base=edited.base_values(form) if pk else {},
            conflicts=edited.conflicts(form),
            **draft_context(request, edited=edited, form=form),
        )

    def prompt_test_draft(self, request: HttpRequest, *, pk: int = 0) -> HttpResponse:
        """Store the submitted form of a test as the user's draft, or discard or restore the draft."""
        address = Address(PROMPT_TEST, str(pk) if pk else "")
        return self.draft_response(
            request, address, read=lambda: EditedPromptTest.of(get_prompt_test(pk) if pk else PromptTest())
        )

    def prompt_test_deletion(self, request: HttpRequest, *, pk: int) -> HttpResponse:
        """Ask whether to delete a test; POST deletes it."""
        test = get_prompt_test(pk)
        if request.method == "POST":
            delete_prompt_test(test, now=timezone.now())
            restore_url = reverse("admin:chat_configuration_test_restore", args=[test.pk])
            button = '<button type="submit" class="undo" form="undo" formaction="{}">Undo</button>'
            messages.success(request, format_html("Test “{}” deleted. " + button, test.title, restore_url))
            return HttpResponseRedirect(reverse("admin:chat_configuration_tests"))
        return self.render(request, "prompt_test_deletion", title="Delete test", test=test)

    def prompt_test_restore(self, request: HttpRequest, *, pk: int) -> HttpResponse:
        """Restore a deleted test; only POST."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        test = get_prompt_test(pk, deleted=True)
        try:
            restore_prompt_test(test)
            messages.success(request, f"Test “{test.title}” restored.")
        except Invalid as error:
            messages.error(request, error.detail)
        return HttpResponseRedirect(reverse("admin:chat_configuration_tests"))

    def prompt_test_data(self, request: HttpRequest) -> HttpResponse:
        """Send the tests of `?page=` and the labels of all tools as JSON; POST stores a test at the end.

        The body of a POST is `{"where","title","messages"}`.
        """
        if request.method == "GET":
            page = request.GET.get("page", "-")
            tests = [_as_json(test) for test in prompt_tests(page)]
            return JsonResponse({"page": readable_name("page", page), "tests": tests, "tools": _tools()})
        if request.method != "POST":
            return HttpResponseNotAllowed(["GET", "POST"])
        try:
            test = _from_json(strictjson.loads(request.body))
            save_prompt_test(test, user=request.user, now=timezone.now())
        except ChatError as error:
            return JsonResponse({"error": error.code, "detail": error.detail}, status=UNPROCESSABLE)
        return JsonResponse(_as_json(test), status=201)


def _tools() -> list[Json]:
    """Return the tools with their readable names and those in the code, which the answers of trials have."""
    tools = current_catalogue().tools
    return [{"name": tool.name, "label": full_name("tool", tool.name), "icon": tool.icon} for tool in tools]


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
    where, place, texts = test.place, place_name(test.place), test.messages
    return {"id": test.pk, "title": test.title, "where": where, "place": place, "messages": texts, "edit_url": edit_url}

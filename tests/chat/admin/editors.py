"""Editors of the configuration, and their requests to try drafts at a real server."""
from __future__ import annotations

from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from tests.chat.admin.forms import filled
from tests.chat.stream_client import Browser

TRY = reverse("admin:chat_configuration_entry_try", args=["page", "table_view"])
EDIT = reverse("admin:chat_configuration_entry", args=["page", "table_view"])
ANY = reverse("admin:chat_configuration_try")
LIBRARIAN = {"field-identity": "You are a careful librarian."}
FORM = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/event-stream"}

Json = dict[str, Any]


def staff(name: str, *rights: str) -> User:
    user = User.objects.create(username=name, is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    return user


class Editor:
    """A user of the admin at a real server."""

    def __init__(self, address: str, user: User) -> None:
        self.user = user
        self.browser = Browser(address, user)
        self.pages = Client()
        self.pages.force_login(user)

    def form(self, message: str = "Hello", *, draft: Json | None = None, **fields: Any) -> bytes:
        """Return the form of the page's entry with these fields changed."""
        sent = {**filled(self.pages, EDIT, **(draft or {})), "message": message, "where": "table_view", **fields}
        return urlencode({"client_turn_id": str(uuid4()), **sent}, doseq=True).encode()

    def tries(self, message: str = "Hello", **fields: Any) -> list[Json]:
        """Return the events of a trial."""
        with self.browser.open("POST", TRY, self.form(message, **fields), **FORM) as stream:
            assert stream.response.status == 200
            return list(stream)

    def refused(self, message: str = "Hello", *, address: str = TRY, **fields: Any) -> tuple[int, Json]:
        status, answer, _ = self.browser.request("POST", address, self.form(message, **fields), **FORM)
        return status, answer

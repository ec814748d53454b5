"""The use of entries: pages that have them, conversations and pending proposals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q

from chat.catalogue import Catalogue
from chat.configuration import Address, entries_of, registry_of
from chat.models import Conversation, Payload, ToolCall
from chat.selectors.configuration.catalogue import current_catalogue

LAYER_KINDS = ("page", "tab", "subtab")
# The field of pages, tabs and subtabs that lists entries of a kind.
LISTING_FIELDS = {
    "tool": "tools",
    "payload_type": "payloads",
    "client_action": "client_actions",
    "server_action": "server_actions",
}
HELP_KINDS = ("help_topic", "help_narrative")


@dataclass(frozen=True)
class Usage:
    """The use of one entry.

    `places`: names of the pages, tabs and subtabs that have it, unless all have it (`everywhere`); None for pages, tabs
    and subtabs themselves. `conversations` with it, and its `pending` proposals, are None where they are not counted.
    """

    places: tuple[str, ...] | None = ()
    everywhere: bool = False
    conversations: int | None = None
    pending: int | None = None


def usage_of(addresses: Iterable[Address]) -> dict[Address, Usage]:
    """Return the use of these entries under the current catalogue, in at most four queries."""
    addresses = list(dict.fromkeys(addresses))
    catalogue = current_catalogue()
    conversations, pending = _counts(addresses)
    return {
        address: Usage(
            places=None if address.kind in LAYER_KINDS else tuple(_places(address, catalogue=catalogue)),
            everywhere=_is_everywhere(address, catalogue=catalogue),
            conversations=conversations.get(_counted_as(address)),
            pending=pending.get(_counted_as(address)),
        )
        for address in addresses
    }


def _counted_as(address: Address) -> Address:
    """Return the address under which its conversations are counted: those of a tab are the page's."""
    return Address("page", address.name.split("/")[0]) if address.kind in LAYER_KINDS else address


def _counts(addresses: Iterable[Address]) -> tuple[dict[Address, int], dict[Address, int]]:
    """Return the numbers of conversations and of pending proposals."""
    names: dict[str, set[str]] = {"page": set(), "payload_type": set(), "tool": set()}
    for kind, name in map(_counted_as, addresses):
        if kind in names:
            names[kind].add(name)
    conversations = {Address(kind, name): 0 for kind, of_kind in names.items() for name in of_kind}
    pending = {address: 0 for address in conversations if address.kind != "tool"}
    live = Conversation.objects.filter(sandbox=False, deleted_at=None)
    of_live = {"conversation__sandbox": False, "conversation__deleted_at": None}
    is_pending = Q(status=Payload.Status.PENDING)
    if names["page"]:
        for page, count in _by(live.filter(page__in=names["page"]), "page", count=Count("pk")):
            conversations[Address("page", page)] = count
        waiting = Payload.objects.filter(is_pending, conversation__page__in=names["page"], **of_live)
        for page, count in _by(waiting, "conversation__page", count=Count("pk")):
            pending[Address("page", page)] = count
    if names["payload_type"]:
        payloads = Payload.objects.filter(type__in=names["payload_type"], **of_live)
        with_type = {"count": Count("conversation", distinct=True), "waiting": Count("pk", filter=is_pending)}
        for name, count, waiting_count in _by(payloads, "type", **with_type):
            address = Address("payload_type", name)
            conversations[address], pending[address] = count, waiting_count
    if names["tool"]:
        calls = ToolCall.objects.filter(
            tool__in=names["tool"], turn__conversation__sandbox=False, turn__conversation__deleted_at=None
        )
        for name, count in _by(calls, "tool", count=Count("turn__conversation", distinct=True)):
            conversations[Address("tool", name)] = count
    return conversations, pending


def _by(found: Any, key: str, **counts: Any) -> Any:
    return found.order_by().values(key).annotate(**counts).values_list(key, *counts)


def _places(address: Address, *, catalogue: Catalogue) -> Iterator[str]:
    layers = [(layer.name, entry) for layer, entry in entries_of(catalogue) if layer.kind in LAYER_KINDS]
    for name, layer in layers:
        listed = getattr(layer, LISTING_FIELDS.get(address.kind, ""), ())
        if address.kind in HELP_KINDS:
            category = address.name.split("/")[0]
            listed = [address.name] if category in getattr(layer, "help", ()) else []
        names = {each if isinstance(each, str) else each.name for each in listed}
        if address.kind == "payload_type":
            names |= {tool.payload_type for tool in catalogue.tools.named(getattr(layer, "tools", ()))}
        if address.name in names:
            yield name


def _is_everywhere(address: Address, *, catalogue: Catalogue) -> bool:
    if address.name == "all":
        return True
    if address.kind not in {*LISTING_FIELDS, *HELP_KINDS}:
        return False
    return getattr(registry_of(catalogue, kind=address.kind).get(address.name), "is_global", False)

"""Readable names and descriptions of pages, tools, payload types and other entries, for administrators."""

from __future__ import annotations

from typing import Any

from chat.configuration import KINDS, Address, registry_of
from chat.configuration.entries import REGISTRIES
from chat.payload_types import PayloadType
from chat.selectors.configuration.catalogue import default_catalogue

MAX_DESCRIPTION = 160
# The label of an object's id on pages that declare none.
OBJECT_LABEL = "Object ID"


def readable_name(kind: str, name: str) -> str:
    """Return the title or label in the code: "Read rows". Entries without one have their name in words.

    Tabs and subtabs are named after their page: "Table, Sums".
    """
    if kind in ("tab", "subtab"):
        page, *tabs = name.split("/")
        return ", ".join([readable_name("page", page), *(name_of(None, name=tab) for tab in tabs)])
    entry = registry_of(default_catalogue(), kind=kind).get(name) if kind in REGISTRIES else None
    return name_of(entry, name=name)


def full_name(kind: str, name: str) -> str:
    """Return the readable name with the name in the code: "Read rows (get_rows)"."""
    return f"{readable_name(kind, name)} ({name})"


def place_name(place: str) -> str:
    """Return the readable name of a page, tab or subtab with the one in the code: "Table, Sums (table_view/sums)"."""
    return full_name("tab" if "/" in place else "page", place)


def object_label(page: str) -> str:
    """Return the label of the id of the page's object: "Table ID"."""
    config = default_catalogue().pages.get(page)
    return (config.object_label if config else "") or OBJECT_LABEL


def name_of(entry: Any, *, name: str) -> str:
    """Return the readable name of an entry; None, if it is not in the code, has its name in words."""
    if isinstance(entry, PayloadType):
        title = entry.frontend_config.get("title", "")
    else:
        title = getattr(entry, "label", "") or getattr(entry, "title", "")
    return title or ", ".join(part.replace("_", " ").capitalize() for part in name.split("/"))


def description_of(entry: Any) -> str:
    """Return the first sentence of the entry's description or summary, "" without one."""
    text = getattr(entry, "description", "") or getattr(entry, "summary", "")
    sentence = " ".join(str(text).split()).partition(". ")[0].rstrip(".")
    return f"{sentence[:MAX_DESCRIPTION]}…" if len(sentence) > MAX_DESCRIPTION else sentence


def name_in_sentence(address: Address) -> str:
    """Return the kind and the name of an entry within a sentence: "tool Read rows (get_rows)"."""
    kind, title = KINDS.get(address.kind), entry_title(address)
    return title.replace(f"{kind.label}:", kind.singular, 1) if kind else title


def entry_title(address: Address) -> str:
    """Return the title of an entry with its name in the code: "Tools: Read rows (get_rows)"."""
    kind = KINDS.get(address.kind)
    label = kind.label if kind else address.kind.replace("_", " ")
    if address.name == "all":
        return label
    return f"{label}: {full_name(address.kind, address.name)}"

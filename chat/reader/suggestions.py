"""Checks what the model suggests: values to click and actions to run."""
from __future__ import annotations

from collections.abc import Collection
from typing import Any

Json = dict[str, Any]

VALUES = "SUGGESTED_VALUES"
ACTIONS = "SUGGESTED_ACTIONS"
STYLES = {"primary", "secondary", "warning"}


def read_values(items: list[Any]) -> tuple[list[Json], list[str]]:
    """`{"label","value"}` for each item that is one or a bare string, and what was wrong with the others."""
    values: list[Json] = []
    faults: list[str] = []
    for index, item in enumerate(items):
        label, value = (item, item) if isinstance(item, str) else _pair(item)
        if label.strip() and value.strip():
            values.append({"label": label, "value": value})
        else:
            faults.append(f"{VALUES}[{index}] needs a label and a value, both text.")
    return values, faults


def read_actions(
    items: list[Any], *, client: Collection[str], server: Collection[str]
) -> tuple[list[Json], list[str]]:
    """`{"label","action","handler","data"?,"style"?}` for each item that names a registered action, and the faults."""
    actions: list[Json] = []
    faults: list[str] = []
    for index, item in enumerate(items):
        fault = _fault_of(item, client=client, server=server)
        if fault:
            faults.append(f"{ACTIONS}[{index}]: {fault}")
            continue
        action = {"label": item["label"], "action": item["action"], "handler": item.get("handler", "client")}
        if item.get("data") is not None:
            action["data"] = item["data"]
        if item.get("style") in STYLES:
            action["style"] = item["style"]
        actions.append(action)
    return actions, faults


def _pair(item: Any) -> tuple[str, str]:
    if not isinstance(item, dict):
        return "", ""
    label, value = item.get("label"), item.get("value", item.get("label"))
    return (label, value) if isinstance(label, str) and isinstance(value, str) else ("", "")


def _fault_of(item: Any, *, client: Collection[str], server: Collection[str]) -> str:
    if not isinstance(item, dict) or not isinstance(item.get("label"), str) or not item["label"].strip():
        return "it needs a label."
    handler = item.get("handler", "client")
    if handler not in ("client", "server"):
        return 'its handler must be "client" or "server".'
    known = client if handler == "client" else server
    name = item.get("action")
    if not isinstance(name, str) or name not in known:
        return f"{name!r} is not a {handler} action of this page; these are: {', '.join(sorted(known)) or 'none'}."
    if item.get("data") is not None and not isinstance(item["data"], dict):
        return "its data must be an object."
    return ""

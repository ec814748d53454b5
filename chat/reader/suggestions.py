"""Checks what the model suggests: values to click and actions to run."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from chat.actions import ClientAction, ServerAction
from chat.json_schema import faults_at

Json = dict[str, Any]

VALUES = "SUGGESTED_VALUES"
ACTIONS = "SUGGESTED_ACTIONS"
STYLES = {"primary", "secondary", "warning"}
ANY_DATA: Json = {"type": "object"}  # what a script takes out of it is the script's business
RUN = "run"


@dataclass(frozen=True)
class ReadActions:
    """Actions to show, what was wrong with others, and whether one of those was to run at once."""

    shown: tuple[Json, ...] = ()
    faults: tuple[str, ...] = ()
    not_run: bool = False


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
    items: list[Any], *, client: Iterable[ClientAction], server: Iterable[ServerAction]
) -> ReadActions:
    """`{"label","action","handler","data"?,"style"?,"run"?}` for each item that names an action of the page, with data
    in its form. `run` is for client actions that may run: the page does them at once and offers no button."""
    client = tuple(client)
    known: dict[str, dict[str, Json]] = {
        "client": {entry.action: entry.schema or ANY_DATA for entry in client},
        "server": {entry.action: entry.parameters for entry in server},
    }
    may_run = {entry.action for entry in client if entry.may_run}
    actions: list[Json] = []
    faults: list[str] = []
    not_run = False
    for index, item in enumerate(items):
        fault = _fault_of(item, known=known)
        if fault:
            faults.append(f"{ACTIONS}[{index}]: {fault}")
            not_run = not_run or is_run(item)
            continue
        action = {"label": item["label"], "action": item["action"], "handler": item.get("handler", "client")}
        if item.get("data") is not None:
            action["data"] = item["data"]
        if item.get("style") in STYLES:
            action["style"] = item["style"]
        if is_run(item):
            if action["handler"] == "client" and action["action"] in may_run:
                action[RUN] = True
            else:
                faults.append(f"{ACTIONS}[{index}]: {action['action']} is shown as a button: it does not run at once.")
        actions.append(action)
    return ReadActions(shown=tuple(actions), faults=tuple(faults), not_run=not_run)


def is_run(item: Any) -> bool:
    """Whether an item asks for its action to run at once."""
    return isinstance(item, dict) and item.get(RUN) is True


def _pair(item: Any) -> tuple[str, str]:
    if not isinstance(item, dict):
        return "", ""
    label, value = item.get("label"), item.get("value", item.get("label"))
    return (label, value) if isinstance(label, str) and isinstance(value, str) else ("", "")


def _fault_of(item: Any, *, known: Mapping[str, Mapping[str, Json]]) -> str:
    if not isinstance(item, dict) or not isinstance(item.get("label"), str) or not item["label"].strip():
        return "it needs a label."
    handler = item.get("handler", "client")
    if handler not in ("client", "server"):
        return 'its handler must be "client" or "server".'
    name, offered = item.get("action"), known[handler]
    if not isinstance(name, str) or name not in offered:
        return f"{name!r} is not a {handler} action of this page; these are: {', '.join(sorted(offered)) or 'none'}."
    data = {} if item.get("data") is None else item["data"]
    if not isinstance(data, dict):
        return "its data must be an object."
    return "; ".join(f"{fault.path}: {fault.detail}" for fault in faults_at("data", data, schema=offered[name]))

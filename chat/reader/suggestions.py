"""Check the model's suggestions: values and actions."""
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
ANY_DATA: Json = {"type": "object"}  # for actions without a schema, whose script checks the data
RUN = "run"


@dataclass(frozen=True)
class ParsedActions:
    """Actions to show, the faults of others, and whether an action to run at once was dropped."""

    shown: tuple[Json, ...] = ()
    faults: tuple[str, ...] = ()
    not_run: bool = False


def parse_values(items: list[Any]) -> tuple[list[Json], list[str]]:
    """Return `{"label","value"}` for each valid item, which may also be a string, and the faults of the others."""
    values: list[Json] = []
    faults: list[str] = []
    for index, item in enumerate(items):
        label, value = (item, item) if isinstance(item, str) else _label_and_value(item)
        if label.strip() and value.strip():
            values.append({"label": label, "value": value})
        else:
            faults.append(f"{VALUES}[{index}] needs a label and a value, both text.")
    return values, faults


def parse_actions(
    items: list[Any], *, client: Iterable[ClientAction], server: Iterable[ServerAction]
) -> ParsedActions:
    """Return `{"label","action","handler","data"?,"style"?,"run"?}` for each item with an action of the page.

    Its data must match the schema of the action. The page runs client actions with `run` at once, without a button.
    """
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
    return ParsedActions(shown=tuple(actions), faults=tuple(faults), not_run=not_run)


def is_run(item: Any) -> bool:
    """Whether the action of an item is to run at once."""
    return isinstance(item, dict) and item.get(RUN) is True


def _label_and_value(item: Any) -> tuple[str, str]:
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

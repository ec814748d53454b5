"""Replies of a model that passes the check of models, behind one of the local servers."""
from __future__ import annotations

from collections.abc import Callable

from tests.local_servers import LocalServer
from tests.scripted_model import Json, Reply, say, use

PROPOSAL = 'Done.\n\nTASK_CHANGES: {"changes": [{"task": 1, "status": "done"}]}'


def capable_model(script: LocalServer, *, proposal: str = PROPOSAL) -> Callable[[Json], Reply]:
    """Answer like a model that does everything requested, as far as its server passes it on."""

    def reply(request: Json) -> Reply:
        text = request["messages"][-1]["content"][-1]["text"]
        choice = request.get("tool_choice", {"type": "auto"})["type"]
        honoured = choice in script.dialect.tool_choice
        if "tools" in request and (choice == "tool" and honoured):
            return use(("add_numbers", {"a": 1, "b": 1}))
        if "add_numbers" in text and "tools" in request and not (choice == "none" and honoured):
            return use(("add_numbers", {"a": 2, "b": 3}))
        if "Buy milk" in text:
            return say(proposal)
        if "Count" in text:
            read = {"cache_read_input_tokens": 900} if script.dialect.caches else {}
            return say("one two", stop_reason="max_tokens", usage={"input_tokens": 10, **read})
        return say("ready")

    return reply

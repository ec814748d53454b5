"""What a process has in memory when it begins to serve stays until it ends: the garbage collector need not look at it.

A full collection holds everything up, the event loop with all its streams and every thread that answers. Most of what
it would look at, again and again, is modules, classes and the project's registries: 240,000 things, 140 ms of nothing
else, several times a minute under load.
"""
from __future__ import annotations

import gc

from chat.provider import is_demo


def leave_out_what_stays() -> None:
    """From now on collections look only at what comes after this. To be called when everything is imported."""
    # Imported by the first turn otherwise, which would wait for a second.
    import chat.agent.client

    if is_demo():
        import chat.demo_model  # noqa: F401

    # What is garbage by now would stay for ever.
    gc.collect()
    gc.freeze()

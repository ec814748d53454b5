"""The ASGI application for servers, in a process that is prepared for serving."""
from __future__ import annotations

import gc

from chatproject.limits.memory import collect_at_default_rate, collect_less_often

# While modules are imported, which takes a tenth less time.
collect_less_often()

from chat.provider.configured import is_demo  # noqa: E402
from chatproject.server.application import application  # noqa: E402

__all__ = ["application"]


def freeze_imported_objects() -> None:
    """Exclude everything that has been imported from garbage collection.

    A full collection stops the event loop and all threads. Without this it would examine 240,000 objects of modules,
    classes and registries each time, several times a minute under load, for 140 ms.
    """
    # Imported now, because the first turn would otherwise wait a second for it.
    import chat.agent.client.anthropic_model

    if is_demo():
        import chat.demo_model  # noqa: F401

    # Collect first, because frozen garbage is never collected.
    gc.collect()
    gc.freeze()
    collect_at_default_rate()


freeze_imported_objects()

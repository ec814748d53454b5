"""Says of the applies of programs how long they took and what came of them."""
from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from shared.db.large_work import TurnNeeded
from tables import signals

Kind = Literal["data_proposal", "schema_proposal"]


@contextmanager
def measured_apply(kind: Kind) -> Iterator[None]:
    """Around the one call that applies; failures pass through."""
    began, outcome = time.perf_counter(), "applied"
    try:
        yield
    except TurnNeeded:
        # It has not ended: it begins again.
        outcome = ""
        raise
    except Exception as error:
        outcome = str(getattr(error, "code", "internal"))
        raise
    finally:
        if outcome:
            seconds = time.perf_counter() - began
            signals.apply_ended.send_robust(sender=None, kind=kind, outcome=outcome, seconds=seconds)

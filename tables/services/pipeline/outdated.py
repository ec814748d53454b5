"""Errors about versions that also name what else is wrong with the request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from tables.exceptions import Conflict, Fault, Invalid, Malformed, Outdated
from tables.operations.proposals.data_proposal import MAX_FAULTS, ROWS_MOVED, in_order

TABLE_VERSION_PATH = "If-Match"


def with_further(error: Outdated, further: Sequence[Fault], *, more: int = 0) -> Outdated:
    """Return the error with the faults that are not at one of its paths; `more` is the number of unlisted ones."""
    if not further:
        return error
    own = error.faults or (Fault(TABLE_VERSION_PATH, error.code, message=error.message),)
    reported = {fault.path for fault in own}
    faults = in_order([*own, *(fault for fault in further if fault.path not in reported)])
    # As of an error about the rows alone, which names no version if there are several.
    several = bool(error.faults) and sum(fault.code == error.code for fault in faults) > 1
    message, extra = (ROWS_MOVED(), {}) if several else (error.message, error.extra)
    together = Outdated(message, faults=faults, most=MAX_FAULTS, extra=extra)
    together.more_faults += error.more_faults + more
    return together


@contextmanager
def beside_others(find_others: Callable[[], object]) -> Iterator[None]:
    """Raise an error about a version together with the faults of the request that `find_others` raises."""
    try:
        yield
    except Outdated as error:
        try:
            find_others()
        except (Malformed, Invalid, Conflict, Outdated) as others:
            raise with_further(error, others.faults, more=others.more_faults) from None
        raise

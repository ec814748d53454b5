"""Errors about versions that also name what else is wrong with the request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from tables.exceptions import Conflict, Fault, Invalid, Malformed, Outdated, TablesError
from tables.operations.proposals.data_proposal import MAX_FAULTS, ROWS_MOVED, in_order

TABLE_VERSION_PATH = "If-Match"


def with_further(error: Outdated, further: Sequence[Fault], *, more: int = 0) -> Outdated:
    """Return the error with the faults that are not at one of its paths; `more` is the number of unlisted ones."""
    if not further:
        return error
    faults = _together(error, further)
    # As of an error about the rows alone, which names no version if there are several.
    several = bool(error.faults) and sum(fault.code == error.code for fault in faults) > 1
    message, extra = (ROWS_MOVED(), {}) if several else (error.message, error.extra)
    together = Outdated(message, faults=faults, most=MAX_FAULTS, extra=extra)
    together.more_faults += error.more_faults + more
    return together


def beside(error: Outdated, others: TablesError) -> TablesError:
    """Return an error about a version together with the other error of the same request.

    Versions are compared in a later stage than the form of the request, so that it is Malformed if the other one is.
    """
    of_others = others.faults or ((Fault(others.path, others.code, message=others.message),) if others.path else ())
    if not isinstance(others, Malformed):
        return with_further(error, of_others, more=others.more_faults)
    if not of_others:
        return others
    together = Malformed(others.message, faults=_together(error, of_others), most=MAX_FAULTS)
    together.more_faults += error.more_faults + others.more_faults
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
            raise beside(error, others) from None
        raise


def _together(error: Outdated, further: Sequence[Fault]) -> list[Fault]:
    own = error.faults or (Fault(TABLE_VERSION_PATH, error.code, message=error.message),)
    reported = {fault.path for fault in own}
    return in_order([*own, *(fault for fault in further if fault.path not in reported)])

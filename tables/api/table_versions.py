"""`If-Match` with the version of a table: a refused write also names another version, whatever else is wrong."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from rest_framework.request import Request

from shared.rest.preconditions import if_match, read_if_match
from tables import selectors, services
from tables.exceptions import Conflict, Invalid, Malformed, NotFound, Outdated, TablesError

Method = TypeVar("Method", bound=Callable[..., Any])


FindTable = Callable[[Any, dict[str, Any]], Any]


def table_of_url(user: Any, kwargs: dict[str, Any]) -> Any:
    """Return the table with the id in the URL. Raises NotFound."""
    return selectors.get_table(user, kwargs["table_id"])


def any_table_of_url(user: Any, kwargs: dict[str, Any]) -> Any:
    """Return the table with the id in the URL, which may be in the trash. Raises NotFound."""
    try:
        return table_of_url(user, kwargs)
    except NotFound:
        return selectors.get_table(user, kwargs["table_id"], trashed=True)


def if_match_table(find_table: FindTable = table_of_url) -> Callable[[Method], Method]:
    """Mark a view method that writes only if the table still has the version in `If-Match`.

    The method refuses other versions itself; here they are added to its other errors. `find_table` returns the table of
    a user and the arguments of the URL, None if it does not exist yet.
    """

    def mark(method: Method) -> Method:
        @wraps(method)
        def write(view: Any, request: Request, **kwargs: Any) -> Any:
            try:
                return method(view, request, **kwargs)
            except (Malformed, Invalid, Conflict) as error:
                raise _with_version(error, request, find_table=lambda: find_table(request.user, kwargs)) from error

        return if_match("table")(write)  # type: ignore[return-value]  # the same signature

    return mark


def _with_version(error: TablesError, request: Request, *, find_table: Callable[[], Any]) -> TablesError:
    """Return the error, with that about the version of the table if it is another one than in `If-Match`."""
    try:
        expected = read_if_match(request)
        table = find_table() if expected is not None else None
    except (ValueError, NotFound):
        return error
    if table is None:
        return error
    try:
        services.refuse_outdated(table.version, expected=expected)
    except Outdated as outdated:
        return services.beside(outdated, error)
    return error

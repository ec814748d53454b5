"""The base of the views of one table: what the URL names, and the rights to it, come before other errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from rest_framework.response import Response
from rest_framework.views import APIView

from shared.user_messages import CodedError
from tables import selectors
from tables.exceptions import Forbidden, NotFound

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


class TableView(APIView):
    """A view of the table in the URL. A refused request is a 404 or 403 if its table or right is missing.

    Services check this again for each request; here it is only looked up for requests with other errors, so that
    others take no further query. `rights` has the rights of methods other than "view" to read and "edit" to write;
    `in_trash`: the table may be in the trash.
    """

    rights: ClassVar[Mapping[str, Any]] = {}
    in_trash = False

    def right(self) -> Any:
        """Return the right that the method of the request needs."""
        method = str(self.request.method)
        return self.rights.get(method, "view" if method in SAFE_METHODS else "edit")

    def check_access(self, *, table_id: int = 0, **_names: Any) -> None:
        """Raise NotFound and Forbidden for what the URL names."""
        self.find_table(table_id)

    def find_table(self, table_id: int) -> Any:
        """Return the table for the right of the method. Raises NotFound and Forbidden."""
        user, right = self.request.user, self.right()
        try:
            return selectors.get_table(user, table_id, can=right)
        except NotFound:
            if not self.in_trash:
                raise
            return selectors.get_table(user, table_id, can=right, trashed=True)

    def handle_exception(self, exc: Exception) -> Response:
        """Return the response to an error, or to that of `check_access`."""
        if isinstance(exc, CodedError) and not isinstance(exc, NotFound | Forbidden):
            try:
                self.check_access(**self.kwargs)
            except (NotFound, Forbidden) as missing:
                return super().handle_exception(missing)
        return super().handle_exception(exc)

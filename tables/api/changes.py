"""The history of a table over REST: its changes, and what each of them changed."""
from __future__ import annotations

from django.http import HttpRequest
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from shared.rest.parameters import IF_MATCH
from shared.rest.read_first import read_before, read_first
from shared.rest.schemas import a
from shared.rest.serializers import EmptyBody
from tables import selectors, services
from tables.api import schemas
from tables.api.bodies import read_body, version_of
from tables.api.cursors import NOT_A_CURSOR
from tables.api.parameters import Parameters
from tables.api.query_parameters import CHANGE_LIST, ONE_CHANGE
from tables.api.reads import link
from tables.api.serializers import UndoneSerializer
from tables.exceptions import Malformed


class Changes(APIView):
    """/api/tables/{id}/changes/"""

    @extend_schema(parameters=CHANGE_LIST, responses={200: schemas.CHANGES_PAGE})
    def get(self, request: Request, table_id: int) -> Response:
        """List the changes of a table, the newest first.

        With `row` a page may have few changes, or none, although there is a `next`; `piece` is part of that URL.
        """
        asked = Parameters(request, CHANGE_LIST)
        limit, row_id = asked.whole("limit", default=50), asked.maybe_whole("row")
        only = selectors.ChangeFilter(
            after_version=asked.maybe_whole("after_version"),
            before_version=asked.maybe_whole("before_version"),
            username=asked.text("person"),
            source=asked.choice("source") if asked.has("source") else "",
        )
        piece = asked.whole("piece", default=0)
        table = selectors.get_table(request.user, table_id)
        more: dict[str, int] | None
        if row_id is None:
            found = selectors.changes_of(table, only=only, limit=limit + 1)
            page, more = found[:limit], {"before_version": found[limit - 1].version} if len(found) > limit else None
        else:
            history = selectors.row_history(
                table, row_id, shape=selectors.table_shape(table), only=only, piece=piece, limit=limit
            )
            page, more = history.changes, history.next._asdict() if history.next else None
        following = link(request, **more) if more else None
        return Response({"changes": [change.as_json() for change in page], "next": following})


class OneChange(APIView):
    """/api/tables/{id}/changes/{change}/"""

    @extend_schema(parameters=ONE_CHANGE, responses={200: a("ChangeDetails")})
    def get(self, request: Request, table_id: int, change_id: int) -> Response:
        """Get a change: its rows with their cells before and after, its columns with their differences.

        Entries of more than 100 kB have no cells, but `too_large`. A page may have fewer rows although more follow.
        """
        asked = Parameters(request, ONE_CHANGE)
        limit, cursor = asked.whole("limit", default=50), _cursor(asked)
        table = selectors.get_table(request.user, table_id)
        change = selectors.get_change(table, change_id)
        shape = selectors.table_shape(table)
        details = selectors.change_details(table, change.id, shape=shape, cursor=cursor, limit=limit)
        more = link(request, cursor=str(details.next)) if details.next else None
        return Response({**change.as_json(), **details.as_json(), "next": more})


class RestoreVersion(APIView):
    """/api/tables/{id}/changes/{change}/restore/"""

    @extend_schema(request=EmptyBody, responses=UndoneSerializer, parameters=[IF_MATCH])
    def post(self, request: Request, table_id: int, change_id: int) -> Response:
        """Restore a table to its state after this change: one new change undoes all later ones, and can be undone.

        422 `too_many_changes` or `too_large_to_restore` if these are too many or too large.
        """
        Parameters(request)
        read_body(request, form=EmptyBody)
        later = read_before(request)
        change = services.restore_as_of(
            user=request.user, table_id=table_id, change_id=change_id, version=version_of(request), later=later
        )
        return Response(UndoneSerializer(change).data)

    @classmethod
    def before_transaction(cls, request: HttpRequest) -> None:
        """Read the later changes without the lock that the transaction of an Idempotency-Key holds."""
        read_first(cls, request, read=cls._read)

    @staticmethod
    def _read(request: Request, *, table_id: int, change_id: int) -> services.LaterChanges:
        return services.read_later_changes(
            user=request.user, table_id=table_id, change_id=change_id, version=version_of(request)
        )


def _cursor(asked: Parameters) -> selectors.Cursor | None:
    """Where the page starts; None without a cursor. Raises Malformed."""
    text = asked.text("cursor")
    cursor = selectors.Cursor.read(text) if text else None
    if text and cursor is None:
        raise Malformed.at("cursor", NOT_A_CURSOR())
    return cursor

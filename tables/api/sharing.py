"""Sharing over REST: members of a table, inviting them, and the link for reading. For its owner only."""
from __future__ import annotations

from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from strictjson.moments import OutOfRange, read_moment
from tables import selectors, services
from tables.api.bodies import body_of
from tables.api.parameters import Parameters
from tables.api.reading import following, page_of
from tables.api.sharing_bodies import (
    invitation_json,
    malformed,
    read_days,
    read_invited,
    read_kind,
    read_name,
    read_role,
    secret_response,
    sent_response,
    site_url,
    time_text,
)
from user_messages import as_message, declare

Json = dict[str, Any]
NOT_A_TIME = declare("not_a_time", "This is a time like 2027-01-31T12:00:00Z.")


class Members(APIView):
    """/api/tables/{id}/members/"""

    def get(self, request: Request, table_id: int) -> Response:
        """`{"owner", "members": […], "count", "next", "invitations": […], "kinds", "link"}`.

        A member is `{"user", "role", "added_at", "added_by"}`. Invitations are all that are not accepted yet;
        nothing tells whether the invited user exists. `kinds`: those that can be sent.
        """
        asked = Parameters(request, known=("limit", "offset"))
        limit, offset = page_of(asked, most=200)
        table, now = selectors.get_table(request.user, table_id, can="own"), timezone.now()
        members = selectors.members_of(table)
        listed = [_member_json(member) for member in members[offset : offset + limit]]
        count = members.count()
        link = selectors.link_of(table)
        return Response(
            {
                "owner": table.owner.get_username(),
                "members": listed,
                "count": count,
                "next": following(request, offset=offset, shown=len(listed), count=count),
                "invitations": [invitation_json(each, now=now) for each in selectors.invitations_of(table)],
                "kinds": selectors.invitation_kinds(),
                "link": link and {name: time_text(moment) for name, moment in link.items()},
            }
        )

    def post(self, request: Request, table_id: int) -> Response:
        """Invite: `{"kind": "user" | "email" | "link", "name", "role", "expires_in_days"?}`, without a name for a link.

        202 with the invitation, whether or not there is such a user or address. Only here it has the `url` of a link.
        """
        Parameters(request, known=())
        body = body_of(request, allowed=("kind", "name", "role", "expires_in_days"), needed=("kind", "role"))
        sent = services.invite(
            user=request.user,
            table_id=table_id,
            kind=read_kind(body["kind"]),
            name=read_invited(body),
            role=read_role(body["role"]),
            days=read_days(body),
            now=timezone.now(),
            site_url=site_url(request),
        )
        return sent_response(request, sent, status=202)


class OneMember(APIView):
    """/api/tables/{id}/members/{user}/"""

    def patch(self, request: Request, table_id: int, name: str) -> Response:
        """Gives the member another `role`."""
        Parameters(request, known=())
        role = read_role(body_of(request, allowed=("role",), needed=("role",))["role"])
        services.change_member(user=request.user, table_id=table_id, name=read_name(name), role=role)
        return Response({"user": name, "role": role})

    def delete(self, request: Request, table_id: int, name: str) -> Response:
        """Ends the membership; a member may end his own."""
        Parameters(request, known=())
        services.remove_member(user=request.user, table_id=table_id, name=read_name(name))
        return Response(status=204)


class Transfer(APIView):
    """/api/tables/{id}/transfer/"""

    def post(self, request: Request, table_id: int) -> Response:
        """Makes a member the owner: `{"to"}`, a name. Whoever sends this edits the table from then on.

        `{"owner", "role"}`, the role being one's own.
        """
        Parameters(request, known=())
        to = read_name(body_of(request, allowed=("to",), needed=("to",))["to"], path="to")
        table = services.give_table(user=request.user, table_id=table_id, to=to)
        return Response({"owner": table.owner.get_username(), "role": selectors.role_of(request.user, table)})


class Link(APIView):
    """/api/tables/{id}/link/"""

    def post(self, request: Request, table_id: int) -> Response:
        """A new link for reading without signing in, shown only here; the one before is void. `{"expires_at"?}`."""
        Parameters(request, known=())
        until = _moment(body_of(request, allowed=("expires_at",)).get("expires_at"))
        made = services.make_link(user=request.user, table_id=table_id, expires_at=until, now=timezone.now())
        url = request.build_absolute_uri(reverse("shared_table", args=[made.token]))
        times = {"created_at": time_text(made.created_at), "expires_at": time_text(made.expires_at)}
        link = {"id": made.id, "url": url, **times}
        return secret_response(link, status=201, id_=made.id)

    def delete(self, request: Request, table_id: int) -> Response:
        """Makes the link void."""
        Parameters(request, known=())
        services.remove_link(user=request.user, table_id=table_id)
        return Response(status=204)


def _member_json(member: Any) -> Json:
    return {
        "user": member.user.get_username(),
        "role": member.role,
        "added_at": time_text(member.added_at),
        "added_by": member.added_by.get_username() if member.added_by else None,
    }


def _moment(value: Any) -> datetime | None:
    if value is None:
        return None
    try:
        return read_moment(value)
    except OutOfRange as error:
        raise malformed("expires_at", code="out_of_range", message=as_message(str(error))) from None
    except (TypeError, ValueError):
        raise malformed("expires_at", code="not_a_time", message=NOT_A_TIME()) from None

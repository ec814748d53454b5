"""Sharing over REST: members, invitations to pass on, and the link for reading; the owner's alone."""
from __future__ import annotations

from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

import strictjson
from strictjson.moments import OutOfRange, read_moment
from tables import selectors, services
from tables.api.bodies import body_of
from tables.api.parameters import Parameters
from tables.api.reading import following, page_of
from tables.column_types import did_you_mean
from tables.exceptions import Fault, Malformed

Json = dict[str, Any]
ROLES = ("viewer", "editor")
MOST_NAME = 150


class Members(APIView):
    """/api/tables/{id}/members/"""

    def get(self, request: Request, table_id: int) -> Response:
        """`{"owner", "members": […], "count", "next", "invitations": […], "link"}`.

        A member is `{"user", "role", "added_at", "added_by"}`; nothing tells whether somebody of this name exists.
        """
        asked = Parameters(request, known=("limit", "offset"))
        limit, offset = page_of(asked, most=200)
        table = selectors.get_table(request.user, table_id, can="own")
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
                "invitations": [_invited(each) for each in selectors.open_invitations(table, now=timezone.now())],
                "link": link and {name: _time(moment) for name, moment in link.items()},
            }
        )

    def post(self, request: Request, table_id: int) -> Response:
        """Shares the table: `{"role", "user"}` with the person of exactly this name, `{"role"}` by a link to pass on.

        202 whether or not somebody has the name. The link works once, for seven days, and is shown only here.
        """
        Parameters(request, known=())
        body = body_of(request, allowed=("role", "user"), needed=("role",))
        role = _role(body["role"])
        if "user" in body:
            name = _name(body["user"])
            services.add_member(user=request.user, table_id=table_id, name=name, role=role)
            return Response({"user": name, "role": role}, status=202)
        made = services.invite(user=request.user, table_id=table_id, role=role, now=timezone.now())
        url = request.build_absolute_uri(reverse("invitation", args=[made.token]))
        invitation = {"id": made.id, "role": made.role, "expires_at": _time(made.expires_at), "url": url}
        return _secret(invitation, status=202, id_=made.id)


class OneMember(APIView):
    """/api/tables/{id}/members/{user}/"""

    def patch(self, request: Request, table_id: int, name: str) -> Response:
        """Gives the member another `role`."""
        Parameters(request, known=())
        role = _role(body_of(request, allowed=("role",), needed=("role",))["role"])
        services.change_member(user=request.user, table_id=table_id, name=_name(name), role=role)
        return Response({"user": name, "role": role})

    def delete(self, request: Request, table_id: int, name: str) -> Response:
        """Ends the membership; a member may end his own."""
        Parameters(request, known=())
        services.remove_member(user=request.user, table_id=table_id, name=_name(name))
        return Response(status=204)


class Transfer(APIView):
    """/api/tables/{id}/transfer/"""

    def post(self, request: Request, table_id: int) -> Response:
        """Makes a member the owner: `{"to"}`, a name. Whoever sends this edits the table from then on.

        `{"owner", "role"}`, the role being one's own.
        """
        Parameters(request, known=())
        to = _name(body_of(request, allowed=("to",), needed=("to",))["to"], path="to")
        table = services.give_table(user=request.user, table_id=table_id, to=to)
        return Response({"owner": table.owner.get_username(), "role": selectors.role_of(request.user, table)})


class OneInvitation(APIView):
    """/api/tables/{id}/invitations/{invitation}/"""

    def delete(self, request: Request, table_id: int, invitation_id: int) -> Response:
        """Makes an open invitation void."""
        Parameters(request, known=())
        services.withdraw_invitation(user=request.user, table_id=table_id, invitation_id=invitation_id)
        return Response(status=204)


class AcceptInvitation(APIView):
    """/api/tables/invitations/{token}/"""

    def post(self, request: Request, token: str) -> Response:
        """Makes whoever is signed in a member; the link is used up by that."""
        Parameters(request, known=())
        body_of(request, allowed=())
        table = services.accept_invitation(user=request.user, token=token, now=timezone.now())
        return Response({"table": {"id": table.pk, "name": table.name}, "role": selectors.role_of(request.user, table)})


class Link(APIView):
    """/api/tables/{id}/link/"""

    def post(self, request: Request, table_id: int) -> Response:
        """A new link for reading without signing in, shown only here; the one before is void. `{"expires_at"?}`."""
        Parameters(request, known=())
        until = _moment(body_of(request, allowed=("expires_at",)).get("expires_at"))
        made = services.make_link(user=request.user, table_id=table_id, expires_at=until, now=timezone.now())
        url = request.build_absolute_uri(reverse("shared_table", args=[made.token]))
        times = {"created_at": _time(made.created_at), "expires_at": _time(made.expires_at)}
        link = {"id": made.id, "url": url, **times}
        return _secret(link, status=201, id_=made.id)

    def delete(self, request: Request, table_id: int) -> Response:
        """Makes the link void."""
        Parameters(request, known=())
        services.remove_link(user=request.user, table_id=table_id)
        return Response(status=204)


def _secret(body: Json, *, status: int, id_: int) -> Response:
    answer = Response(body, status=status, headers={"Cache-Control": "no-store"})
    # Sent again with the same Idempotency-Key, the request is answered with the id alone.
    answer.secret_of = id_  # type: ignore[attr-defined]  # an answer has no slot of its own for it
    return answer


def _member_json(member: Any) -> Json:
    return {
        "user": member.user.get_username() if member.user else member.name,
        "role": member.role,
        "added_at": _time(member.added_at),
        "added_by": member.added_by.get_username() if member.added_by else None,
    }


def _invited(invitation: Any) -> Json:
    times = {"created_at": _time(invitation.created_at), "expires_at": _time(invitation.expires_at)}
    return {"id": invitation.pk, "role": invitation.role, **times}


def _role(value: Any) -> str:
    if value not in ROLES:
        hint = did_you_mean(value, ROLES, listed=True) if isinstance(value, str) else ""
        raise _malformed("role", code="unknown_value", detail=f"This is one of {', '.join(ROLES)}.{hint}")
    return str(value)


def _name(value: Any, *, path: str = "user") -> str:
    detail = f"This is the name somebody signs in with, 1 to {MOST_NAME} characters."
    if not isinstance(value, str) or not 0 < len(value) <= MOST_NAME:
        raise _malformed(path, code="not_a_name", detail=detail)
    try:
        strictjson.refuse_unstorable(value)
    except strictjson.NotStrictJson as fault:
        raise _malformed(path, code=fault.code, detail=fault.detail) from None
    return value


def _moment(value: Any) -> datetime | None:
    if value is None:
        return None
    try:
        return read_moment(value)
    except OutOfRange as error:
        raise _malformed("expires_at", code="out_of_range", detail=str(error)) from None
    except (TypeError, ValueError):
        detail = "This is a time like 2027-01-31T12:00:00Z."
        raise _malformed("expires_at", code="not_a_time", detail=detail) from None


def _malformed(path: str, *, code: str, detail: str) -> Malformed:
    return Malformed(detail, faults=(Fault(path=path, code=code, detail=detail),))


def _time(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None

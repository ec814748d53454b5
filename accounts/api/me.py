"""Who one is, over REST."""
from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Profile
from accounts.profiles import FIELDS, change_profile, profile_of, remember_theme
from chat.api.query import body_of, only


class Me(APIView):
    """/api/me/"""

    def get(self, request: Request) -> Response:
        """`{"id", "username", "name", "theme", "time_zone", "locale", "language"}`; empty where nothing was said."""
        only(request)
        return Response(_form(request.user, profile=profile_of(request.user)))

    def patch(self, request: Request) -> Response:
        """Changes `name`, `theme`, `time_zone`, `locale`, `language`."""
        only(request)
        said = body_of(request, fields=FIELDS)
        profile = change_profile(user=request.user, said=said) if said else profile_of(request.user)
        answer = Response(_form(request.user, profile=profile))
        if "theme" in said:
            remember_theme(answer, theme=profile.theme)
        return answer


def _form(user: Any, *, profile: Profile) -> dict[str, Any]:
    return {"id": user.pk, "username": user.get_username(), **{name: getattr(profile, name) for name in FIELDS}}

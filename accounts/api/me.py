"""REST API of the user's profile."""
from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.request_body import read_fields
from accounts.api.serializers import MeSerializer, ProfileBody
from accounts.profiles import change_profile, check_profile, profile_of, remember_theme
from chat.api.query import check_parameters


class Me(APIView):
    """/api/me/"""

    @extend_schema(responses=MeSerializer)
    def get(self, request: Request) -> Response:
        """Get your profile."""
        check_parameters(request)
        return Response(MeSerializer(profile_of(request.user)).data)

    @extend_schema(request=ProfileBody, responses=MeSerializer)
    def patch(self, request: Request) -> Response:
        """Change your profile."""
        data = read_fields(request, form=ProfileBody, check=check_profile)
        profile = change_profile(user=request.user, data=data) if data else profile_of(request.user)
        response = Response(MeSerializer(profile).data)
        if "theme" in data:
            remember_theme(response, theme=profile.theme)
        return response

"""URLs of accounts below /api/."""
from __future__ import annotations

from django.urls import path

from accounts.api import me, tokens

urlpatterns = [
    path("me/", me.Me.as_view(), name="api_me"),
    path("tokens/", tokens.Tokens.as_view(), name="api_tokens"),
    path("tokens/<int:token_id>/", tokens.OneToken.as_view(), name="api_token"),
]

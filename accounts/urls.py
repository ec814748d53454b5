"""Signing in and out, and the page about oneself."""
from __future__ import annotations

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from accounts import views

urlpatterns = [
    path(
        "sign-in/",
        LoginView.as_view(template_name="accounts/sign_in.html", redirect_authenticated_user=True),
        name="sign_in",
    ),
    path("sign-in/link/<str:token>/", views.sign_in_link, name="sign_in_link"),
    path("profile/", views.profile, name="profile"),
    path("sign-out/", LogoutView.as_view(), name="sign_out"),
]

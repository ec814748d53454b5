"""Signing up, in and out, and the page about oneself."""
from __future__ import annotations

from django.contrib.auth.views import LogoutView
from django.urls import path

from accounts import views

urlpatterns = [
    path("sign-in/", views.SignIn.as_view(), name="sign_in"),
    path("sign-up/", views.sign_up, name="sign_up"),
    path("sign-in/link/<str:token>/", views.sign_in_link, name="sign_in_link"),
    path("sign-in/forgotten/", views.forgotten, name="forgotten"),
    path("sign-in/reset/<str:token>/", views.reset, name="reset_password"),
    path("profile/address/<str:token>/", views.confirm_address, name="confirm_address"),
    path("profile/", views.profile, name="profile"),
    path("profile/delete/", views.delete_account, name="delete_account"),
    path("profile/data/", views.own_data, name="own_data"),
    path("sign-out/", LogoutView.as_view(), name="sign_out"),
]

"""Signing up, in and out, and the pages about oneself. Pages of django-allauth have its names at our addresses."""
from __future__ import annotations

from allauth.account import views as allauth
from django.contrib.auth.decorators import login_required
from django.urls import path, register_converter
from django.urls.converters import StringConverter

from accounts import views
from accounts.views import allauth_pages as pages
from accounts.views.allauth_pages import by_mail, page


class NumberOfUser(StringConverter):
    """A user's number as django-allauth writes it into links, to the base of 36."""

    regex = "[0-9a-zA-Z]{1,13}"


register_converter(NumberOfUser, "user")

urlpatterns = [
    path("sign-in/", page(pages.SignIn.as_view()), name="account_login"),
    path("sign-up/", page(pages.SignUp.as_view()), name="account_signup"),
    path("sign-out/", page(allauth.LogoutView.as_view()), name="account_logout"),
    path("sign-in/link/<str:token>/", views.sign_in_link, name="sign_in_link"),
    path("sign-in/forgotten/", by_mail(pages.AskForReset.as_view()), name="account_reset_password"),
    path(
        "sign-in/reset/<user:uidb36>-<str:key>/",
        page(pages.ResetPassword.as_view()),
        name="account_reset_password_from_key",
    ),
    path("sign-in/again/", page(allauth.ReauthenticateView.as_view()), name="account_reauthenticate"),
    path("sign-in/closed/", page(allauth.AccountInactiveView.as_view()), name="account_inactive"),
    path("profile/", views.profile, name="profile"),
    path("profile/password/", page(pages.ChangePassword.as_view()), name="account_change_password"),
    path("profile/password/set/", page(pages.SetPassword.as_view()), name="account_set_password"),
    path("profile/address/", login_required(by_mail(allauth.EmailView.as_view())), name="account_email"),
    path("profile/address/<str:token>/", page(pages.ConfirmAddress.as_view()), name="account_confirm_email"),
    path("profile/sessions/", views.sessions, name="usersessions_list"),
    path("profile/delete/", views.delete_account, name="delete_account"),
    path("profile/data/", views.own_data, name="own_data"),
]

"""URLs of sign-up, sign-in, sign-out and the profile. Views of django-allauth have their original names."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from allauth.account import views as allauth
from allauth.mfa.base import views as second_step
from allauth.mfa.recovery_codes import views as recovery
from allauth.mfa.totp import views as app
from allauth.mfa.webauthn import views as passkeys
from django.contrib.auth.decorators import login_required
from django.urls import path, register_converter, reverse_lazy
from django.urls.converters import StringConverter

from accounts import views
from accounts.views import allauth_pages as pages
from accounts.views import single_sign_on
from accounts.views.allauth_pages import page, page_with_mail


class UserIdConverter(StringConverter):
    """A user's id in base 36, as in links of django-allauth."""

    regex = "[0-9a-zA-Z]{1,13}"


def own_page(view: Callable[..., Any]) -> Callable[..., Any]:
    """Return the view as a page of the signed-in user.

    Visitors are redirected to sign-in before django-allauth asks for the password.
    """
    return login_required(page(view))


register_converter(UserIdConverter, "user")
SECOND_STEP = reverse_lazy("mfa_index")

urlpatterns = [
    path("sign-in/", page(pages.SignIn.as_view()), name="account_login"),
    path("sign-up/", page(pages.SignUp.as_view()), name="account_signup"),
    path("sign-out/", page(allauth.LogoutView.as_view()), name="account_logout"),
    path("sign-in/link/<str:token>/", views.sign_in_link, name="sign_in_link"),
    path("sign-in/forgotten/", page_with_mail(pages.RequestReset.as_view()), name="account_reset_password"),
    path(
        "sign-in/reset/<user:uidb36>-<str:key>/",
        page(pages.ResetPassword.as_view()),
        name="account_reset_password_from_key",
    ),
    path("sign-in/with/<slug:provider_id>/", single_sign_on.start, name="openid_connect_login"),
    path("sign-in/with/<slug:provider_id>/callback/", single_sign_on.callback, name="openid_connect_callback"),
    path("sign-in/again/", page(allauth.ReauthenticateView.as_view()), name="account_reauthenticate"),
    path("sign-in/closed/", page(allauth.AccountInactiveView.as_view()), name="account_inactive"),
    path("profile/", views.profile, name="profile"),
    path("profile/password/", page(pages.ChangePassword.as_view()), name="account_change_password"),
    path("profile/password/set/", page(pages.SetPassword.as_view()), name="account_set_password"),
    path("profile/address/", login_required(page_with_mail(pages.ManageAddress.as_view())), name="account_email"),
    path("profile/address/<str:token>/", page(pages.ConfirmAddress.as_view()), name="account_confirm_email"),
    path("sign-in/code/", page(pages.SecondStep.as_view()), name="mfa_authenticate"),
    path("sign-in/again/code/", page(second_step.reauthenticate), name="mfa_reauthenticate"),
    path("sign-in/again/passkey/", page(passkeys.reauthenticate_webauthn), name="mfa_reauthenticate_webauthn"),
    path("sign-in/passkey/", page(pages.SignInByPasskey.as_view()), name="mfa_login_webauthn"),
    path("profile/second-step/", own_page(second_step.index), name="mfa_index"),
    path("profile/second-step/app/", own_page(pages.SetUpApp.as_view()), name="mfa_activate_totp"),
    path("profile/second-step/app/remove/", own_page(app.deactivate_totp), name="mfa_deactivate_totp"),
    path("profile/second-step/recovery/", own_page(recovery.view_recovery_codes), name="mfa_view_recovery_codes"),
    path(
        "profile/second-step/recovery/new/",
        own_page(recovery.generate_recovery_codes),
        name="mfa_generate_recovery_codes",
    ),
    path(
        "profile/second-step/recovery/download/",
        own_page(recovery.download_recovery_codes),
        name="mfa_download_recovery_codes",
    ),
    path("profile/second-step/passkeys/add/", own_page(passkeys.add_webauthn), name="mfa_add_webauthn"),
    path(
        "profile/second-step/passkeys/<int:pk>/name/",
        own_page(passkeys.EditWebAuthnView.as_view(success_url=SECOND_STEP)),
        name="mfa_edit_webauthn",
    ),
    path(
        "profile/second-step/passkeys/<int:pk>/remove/",
        own_page(passkeys.RemoveWebAuthnView.as_view(success_url=SECOND_STEP)),
        name="mfa_remove_webauthn",
    ),
    path("profile/sessions/", views.sessions, name="usersessions_list"),
    path("profile/delete/", views.delete_account, name="delete_account"),
    path("profile/data/", views.own_data, name="own_data"),
]

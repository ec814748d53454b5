"""Users and API tokens in the admin."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.models import UserSession
from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.forms import AdminPasswordChangeForm, AdminUserCreationForm, UserChangeForm
from django.contrib.auth.models import Group, User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from accounts.exceptions import NotFound
from accounts.mail.addresses import delete_addresses
from accounts.mail.messages import SECOND_STEPS_REMOVED
from accounts.models import ApiToken
from accounts.owned_data import owned_data
from accounts.sessions.user_sessions import end_sessions, renewed_session, sessions_of
from accounts.sign_in.second_step import delete_second_steps, has_second_step
from accounts.sign_in.usernames import check_username
from accounts.tokens import revoke_token
from shared.admin import PermissionFields

if TYPE_CHECKING:
    TokenAdmin = admin.ModelAdmin[ApiToken]
    ChangeUserForm = UserChangeForm[User]
else:
    # Generic for the type checker alone.
    TokenAdmin = admin.ModelAdmin
    ChangeUserForm = UserChangeForm

# Only superusers may change these, or users with the permission to change users could promote themselves.
SUPERUSER_FIELDS = ("is_staff", "is_superuser", "groups", "user_permissions")


@admin.register(ApiToken)
class ApiTokenAdmin(TokenAdmin):
    """API tokens with their users and last use. Deleting a token revokes it."""

    list_display = ("name", "user", "scope", "created_at", "expires_at", "last_used_at", "valid")
    list_filter = ("scope", ("expires_at", admin.DateFieldListFilter), ("last_used_at", admin.EmptyFieldListFilter))
    list_select_related = ("user",)
    search_fields = ("name", "user__username")
    search_help_text = "Search by name or username"
    ordering = ("-pk",)
    fields = ("name", "user", "scope", "created_at", "expires_at", "last_used_at", "valid")
    readonly_fields = fields
    delete_confirmation_template = "admin/accounts/apitoken/revoke.html"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        # A search by hash would allow guessing it letter by letter.
        return not lookup.startswith("digest") and super().lookup_allowed(lookup, value, request)

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> Any:
        return super().delete_view(request, object_id, {**(extra_context or {}), "title": "Revoke API token"})

    def delete_model(self, request: HttpRequest, obj: ApiToken) -> None:
        _revoke([obj])

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[ApiToken]) -> None:
        _revoke(queryset.select_related("user"))

    @admin.display(boolean=True, description="Valid")
    def valid(self, token: ApiToken) -> bool:
        return token.expires_at > timezone.now() and token.user.is_active


def _revoke(tokens: Iterable[ApiToken]) -> None:
    for token in tokens:
        try:
            revoke_token(user=token.user, token_id=token.pk)
        except NotFound:
            # The owner has revoked the token in the meantime.
            continue


class AdminNewUserForm(AdminUserCreationForm):
    """Django's form with our rules for names."""

    def clean_username(self) -> str:
        name: str = super().clean_username()
        check_username(name)
        return name


class AdminPasswordForm(AdminPasswordChangeForm):
    """Django's form. A new password ends all sessions."""

    def save(self, commit: bool = True) -> User:
        user: User = super().save(commit)
        end_sessions(user=user)
        return user


class AdminUserForm(ChangeUserForm):
    """Django's form with our rules for new names. Existing names that break these rules remain valid."""

    def clean_username(self) -> str:
        name: str = self.cleaned_data["username"]
        if "username" in self.changed_data:
            check_username(name)
        return name


# Users manage their own addresses and sessions; administrators see only the number of sessions.
for model in (Group, User, Authenticator, EmailAddress, SocialAccount, SocialApp, SocialToken, UserSession):
    admin.site.unregister(model)


@admin.register(Group)
class RoleAdmin(PermissionFields, GroupAdmin):
    """Django's GroupAdmin for superusers: others could add permissions to their own groups."""

    list_display = ("name", "grants")

    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_active and request.user.is_superuser)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_module_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_module_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_module_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_module_permission(request)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Group]:
        return super().get_queryset(request).prefetch_related("permissions")

    @admin.display(description="Permissions")
    def grants(self, group: Group) -> str:
        return "; ".join(permission.name for permission in group.permissions.all())


@admin.register(User)
class AccountAdmin(PermissionFields, UserAdmin):
    """Django's UserAdmin, where only superusers grant rights, with actions to end sessions and remove second steps."""

    form = AdminUserForm
    add_form = AdminNewUserForm
    change_password_form = AdminPasswordForm
    list_display = ("username", "email", "is_active", "is_staff", "last_login")
    list_filter = ("is_active", "is_staff", "is_superuser", "groups")
    actions = ("sign_out", "remove_second_steps")

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super().has_change_permission(request, obj) and _may_manage(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super().has_delete_permission(request, obj) and _may_manage(request, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> Any:
        fields = (*super().get_readonly_fields(request, obj), "last_login", "date_joined", "signed_in")
        return fields if request.user.is_superuser else (*fields, *SUPERUSER_FIELDS)

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        fieldsets = super().get_fieldsets(request, obj)
        return [*fieldsets, ("Sessions", {"fields": ("signed_in",)})] if obj is not None else fieldsets

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if change and "email" in form.changed_data:
            # The confirmed address is replaced.
            delete_addresses(user=obj)
            for data in owned_data():
                data.address_removed(user=obj)

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> Any:  # noqa: A002  Django's name
        """Change a password. The administrator's own session continues."""
        if request.method != "POST":
            return super().user_change_password(request, id, form_url)
        with renewed_session(request, user=request.user):
            return super().user_change_password(request, id, form_url)

    @admin.display(description="Active sessions")
    def signed_in(self, user: User) -> str:
        return str(sessions_of(user, now=timezone.now()).count())

    @admin.action(description="Sign out everywhere", permissions=["change"])
    def sign_out(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """End all sessions of these users. Only superusers sign out superusers."""
        users = [user for user in queryset if _may_manage(request, user)]
        for user in users:
            end_sessions(user=user)
            self.log_change(request, user, "Signed out everywhere")
        names = ", ".join(str(user) for user in users) or "no user"
        messages.success(request, f"Signed out everywhere: {names}.")

    @admin.action(description="Remove second steps", permissions=["change"])
    def remove_second_steps(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """Delete authenticator apps, passkeys and recovery codes. Only superusers do so for superusers."""
        users = [user for user in queryset if _may_manage(request, user)]
        for user in users:
            had_second_step = has_second_step(user)
            delete_second_steps(user=user)
            self.log_change(request, user, "Removed second steps")
            if had_second_step:
                get_adapter().send_notification_mail(SECOND_STEPS_REMOVED, user)
        names = ", ".join(str(user) for user in users) or "no user"
        messages.success(request, f"Removed second steps: {names}.")


def _may_manage(request: HttpRequest, user: User | None) -> bool:
    """Return whether the administrator has all rights of this user."""
    if user is None or request.user.is_superuser or user.pk == request.user.pk:
        return True
    return not user.is_superuser and not user.is_staff

"""Base classes of admin pages: read-only ones for large tables, and forms with a choice of permissions."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from django.apps import apps
from django.contrib.admin import AdminSite
from django.contrib.auth import get_permission_codename
from django.contrib.auth.models import Permission
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.forms import ModelMultipleChoiceField
from django.http import HttpRequest
from django.utils.functional import cached_property

if TYPE_CHECKING:
    AnyPaginator = Paginator[Any]
    PermissionField = ModelMultipleChoiceField[Permission]
else:
    # Generic only for the type checker.
    AnyPaginator = Paginator
    PermissionField = ModelMultipleChoiceField

# Rows that lists count and page through; filters and search find the others.
MAX_COUNT = 10_000


class BoundedPaginator(AnyPaginator):
    """A paginator that counts up to MAX_COUNT rows, so that long tables are not counted in full."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return int(rows[:MAX_COUNT].count())


class ReadOnlyMixin:
    """Permissions of an admin that only shows records."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class PermissionChoiceField(PermissionField):
    """A choice of permissions by name and codename: "View turns of users (chat.view_turn)"."""

    def label_from_instance(self, obj: Permission) -> str:
        return f"{obj.name} ({obj.content_type.app_label}.{obj.codename})"


class PermissionFields:
    """Offers only permissions that grant something, for admins of models with permissions."""

    admin_site: AdminSite

    def formfield_for_manytomany(self, db_field: Any, request: Any = None, **kwargs: Any) -> Any:
        if db_field.remote_field.model is Permission:
            kwargs |= {"form_class": PermissionChoiceField, "queryset": effective_permissions(self.admin_site)}
        return super().formfield_for_manytomany(db_field, request, **kwargs)  # type: ignore[misc]  # a mixin


def effective_permissions(site: AdminSite) -> QuerySet[Permission]:
    """Return the permissions without those that Django creates for models whose pages do not ask for them."""
    idle = Q(pk__in=())
    for model in apps.get_models():
        opts = model._meta
        for action in opts.default_permissions:
            codename = get_permission_codename(action, opts)
            if not _is_enough(site, model=model, action=action, permission=f"{opts.app_label}.{codename}"):
                idle |= Q(content_type__app_label=opts.app_label, codename=codename)
    return Permission.objects.select_related("content_type").exclude(idle).order_by("content_type__app_label", "name")


def _is_enough(site: AdminSite, *, model: Any, action: str, permission: str) -> bool:
    """Return whether a staff user with only this permission may do this on a page of the model."""
    if not site.is_registered(model):
        return False
    user = SimpleNamespace(
        pk=None, is_active=True, is_staff=True, is_superuser=False,
        has_perm=lambda name, obj=None: name == permission,
    )  # fmt: skip
    request: Any = SimpleNamespace(user=user)
    return bool(site._registry[model].get_model_perms(request).get(action))

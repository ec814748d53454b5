"""Which conversations a person may see: their own, as long as they may see what these are about."""
from __future__ import annotations

from typing import Any

from django.db.models import Q

from chat.page_config import pages


def visible_to(user: Any, *, through: str = "", trashed: bool | None = False) -> Q:
    """The condition on conversations; `through` leads to them from what is asked for ("conversation__");
    `trashed` True is what the person deleted, None both.

    A page says which of its objects somebody may see (`PageConfig.visible_objects`). Losing one hides what was said
    about it; getting it back brings that back.
    """
    guarded = [config for config in pages if config.visible_objects is not None]
    free = ~Q(**{f"{through}page__in": [config.page for config in guarded]})
    condition = Q(**{f"{through}user": user, f"{through}sandbox": False})
    if trashed is not None:
        condition &= Q(**{f"{through}deleted_at__isnull": not trashed})
    about = free
    # Pages about the same objects ask for them once.
    by_objects: dict[Any, list[str]] = {}
    for config in guarded:
        by_objects.setdefault(config.visible_objects, []).append(config.page)
    for visible_objects, names in by_objects.items():
        about |= Q(**{f"{through}page__in": names, f"{through}object_id__in": visible_objects(user)})
    return condition & about

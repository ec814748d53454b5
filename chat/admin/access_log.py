"""Record which staff member has viewed data of which user, in the log and in the admin's own entries."""
from __future__ import annotations

import logging
from typing import Any

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model
from django.http import HttpRequest

from chat.models import Override
from chat.turns.prompt.preview import PreviewTarget
from shared import strictjson

log = logging.getLogger(__name__)

# The messages of the admin's entries.
PREVIEWED = "Previewed a prompt with this user's data."
TRIED = "Tried a draft with this user's data."


def record_access(request: HttpRequest, obj: Model, *, owner: Any) -> None:
    """Record that the user of the request has opened an object of `owner`."""
    details = {
        "by": request.user.get_username(),
        "kind": obj._meta.model_name,
        "id": str(obj.pk),
        "of": str(owner),
    }
    log.info("record opened in the admin: %s", strictjson.dumps(details))
    LogEntry.objects.create(
        user_id=str(request.user.pk),
        content_type=ContentType.objects.get_for_model(obj),
        object_id=str(obj.pk),
        object_repr=str(obj)[:200],
        action_flag=CHANGE,
        change_message=f"Viewed. Owner: {owner}."[:500],
    )


def record_prompt_access(target: PreviewTarget, *, by: Any, action: str) -> None:
    """Record that `by` builds a prompt with the data of the user of `target`; `action` is PREVIEWED or TRIED."""
    object_id = strictjson.replace_unstorable_text(target.object_id)
    username = target.user.get_username()
    details = {"by": by.get_username(), "as": username, "page": target.page, "object": object_id}
    log.info("%s %s", action, strictjson.dumps(details))
    about = f", {object_id}" if target.object_id else ""
    LogEntry.objects.create(
        user_id=str(by.pk),
        content_type=ContentType.objects.get_for_model(Override),
        action_flag=CHANGE,
        object_repr=f"Prompt of {target.page}{about} as {username}"[:200],
        change_message=action,
    )

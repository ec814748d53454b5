"""Template tags of the chat tray."""

from __future__ import annotations

from django import template

from chat.api.model_notice import model_notice
from chat.files import file_limits
from chat.page_config import pages
from chat.provider.configured import is_demo
from shared import strictjson

register = template.Library()
# Part of the first paint.
register.simple_tag(model_notice)


@register.simple_tag
def uses_demo_model() -> bool:
    """Return whether the demo model is used."""
    return is_demo()


@register.simple_tag
def object_key_of(page: str) -> str:
    """Return the key of the context that has the id of the page's object, "" if it has none."""
    config = pages.get(page)
    return config.object_key if config is not None else ""


@register.simple_tag
def file_limits_of(page: str) -> str:
    """Return the limits of files in messages of the page as JSON, "" if its messages have no files."""
    config = pages.get(page)
    return strictjson.dumps(file_limits()) if config is not None and config.files is not None else ""

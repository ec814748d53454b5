"""Template filter that marks the changed words of a difference."""
from __future__ import annotations

from django import template

from chat.configuration import marked_words

register = template.Library()
register.filter("marked_words", marked_words)

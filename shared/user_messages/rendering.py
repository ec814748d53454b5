"""Renders messages in the current language, for pages and for responses that pages show."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import npgettext, pgettext

from shared.locales.active import current_tag
from shared.locales.formats import moment_text, number_signs
from shared.user_messages.message import MAX_LOCALIZED, MESSAGE_CONTEXT, Formatter, Message, Template


class LocalFormatter(Formatter):
    """Renders messages in the current language and time zone."""

    def pattern(self, template: Template, params: Mapping[str, Any]) -> str:
        template = template.for_pages or template
        if not template.is_translated:
            return template.text
        if template.plural:
            return npgettext(MESSAGE_CONTEXT, template.text, template.plural, params[template.count])
        return pgettext(MESSAGE_CONTEXT, template.text)

    def number(self, value: int | float, *, grouped: bool) -> str:
        if not abs(value) < MAX_LOCALIZED:
            return super().number(value, grouped=grouped)
        digits = str(int(value) if value == int(value) else value)
        return digits if "e" in digits else number_signs(current_tag()).number(digits, grouped=grouped)

    def moment(self, iso: str) -> str:
        return day_and_time(_moment(iso))


class HtmlFormatter(LocalFormatter):
    """Renders messages as HTML; date-times become `time` elements, which scripts format for the user's locale."""

    def pattern(self, template: Template, params: Mapping[str, Any]) -> str:
        return escape(super().pattern(template, params))

    def literal(self, text: str) -> str:
        return escape(text)

    def moment(self, iso: str) -> str:
        return moment_html(_moment(iso))


TOOL_CARDS = re.compile(r"\[\[tool:\d+\]\]")
LOCAL, HTML = LocalFormatter(), HtmlFormatter()


def message_text(message: Message) -> str:
    """Return the text of a message in the current language."""
    return LOCAL.text(message)


def message_html(message: Message) -> SafeString:
    """Return the message as HTML; date-times become `time` elements, which scripts format for the user's locale."""
    return mark_safe(HTML.text(message))


def localize_detail(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a JSON object with its `detail` in the current language, from its `message_code` and `params`."""
    stored = {"code": fields.get("message_code"), "params": fields.get("params")}
    return {**fields, "detail": message_text(Message.from_json(stored, text=fields["detail"]))}


def stored_text(stored: Any, *, text: str) -> str:
    """Return a stored message in the current language. `text` is the English text that was stored with it."""
    return message_text(Message.from_json(stored, text=text))


def localize_closing(text: str, *, closing: Any) -> str:
    """Return a text whose last sentence, the stored message `closing`, is translated to the current language.

    Only tool cards (`[[tool:2]]`) may follow the message; otherwise the text is returned unchanged.
    """
    if not closing:
        return text
    message = Message.from_json(closing)
    english = str(message)
    before, found, after = text.rpartition(english) if english else ("", "", "")
    # The English text of the template may have been changed since it was stored.
    if not found or TOOL_CARDS.sub("", after).strip():
        return text
    return before + message_text(message) + after


def localize_preview(preview: dict[str, Any]) -> dict[str, Any]:
    """Return the preview of a proposal with its warnings and notes in the current language."""
    if preview.get("warnings"):
        preview["warnings"] = [localize_detail(warning) for warning in preview["warnings"]]
    for operation in preview.get("operations", ()):
        if operation.get("notes"):
            operation["notes"] = [localize_detail(note) for note in operation["notes"]]
    return preview


def day_and_time(moment: datetime) -> str:
    """Return a date and time in the user's locale and time zone."""
    return moment_text(timezone.localtime(moment), tag=current_tag())


def moment_html(moment: datetime) -> SafeString:
    """Return a date and time as a `time` element, which scripts format for the user's locale."""
    iso = timezone.localtime(moment).isoformat()
    return format_html('<time datetime="{}" data-moment>{}</time>', iso, day_and_time(moment))


def _moment(iso: str) -> datetime:
    return datetime.fromisoformat(iso)

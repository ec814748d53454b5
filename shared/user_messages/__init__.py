"""Messages for users: a code with parameters, rendered in the language of each reader.

A message is created by the code that reports an event, and rendered for each reader. Texts are never parsed back.
Only `rendering` and `request_language` use Django; the other modules are pure.

Read in this order: `message`, `errors`, `request_messages`, `rendering`, `request_language`.

Declare a template once, as a module constant next to the code that uses it; one that several packages use belongs in
`request_messages`:

    UNKNOWN_COLUMN = declare("unknown_column", "There is no column “{column}”.{hint}")
    TOO_MANY_ROWS = declare("too_many_rows", "A table can have at most {count:,} rows.")
    ADDED_ROWS = declare_plural("added_rows", "added 1 row", "added {count:,} rows")

The code is unique and stable (snake_case): it is stored and sent. The text must be a literal, because
`manage.py messages` finds it in the source (msgctxt "message" in the .po files). Placeholders:

    {name}          text unchanged; a number in the format of the language, without grouping; a message, rendered
    {count:,}       a number with grouping: 1,234 or 1.234
    {value:quoted}  text in the quotation marks of the language; a list of texts, each in quotation marks; numbers bare
    {moment:moment} an ISO 8601 text with offset: `2026-11-26 13:00 UTC` in English, in the user's time zone on pages
    {parts:spaced}  a list of sentences, one after the other
    {parts:sentence} a list of clauses, joined by commas, with a capital letter at the beginning

A name that is always text can also be put in literal quotation marks, “{name}”; translations then use their own.
`for_pages=` names a second template for pages if API clients need another text (dates of the form YYYY-MM-DD).

Create a message by calling the template with exactly its parameters; anything else is a TypeError. Only `hint` can be
left out, and is left out when it is empty:

    raise Invalid(TOO_MANY_ROWS(count=LIMITS.rows))
    Fault(path=path, code="unknown_column", message=UNKNOWN_COLUMN(column=short(name), hint=did_you_mean(...)))

Parameters are str, int, float, bool, None, messages, or sequences of these. `code` of errors and faults is part of the
API and does not change; the code of the message identifies the text. JSON errors have both (`code` or `error`,
`message_code`), `params` and the English or translated `detail`.

Render: `str(message)` is English, for the model, logs, API clients and stored records. On pages and in responses to
pages, `message_text(message)` of `shared.user_messages.rendering` uses the current language (`message_html` with
date-times as elements).

Store: `message.as_json()` and `Message.from_json(stored, text=stored_english)`. The English text is stored beside it,
and is used for records without a message and for codes that no longer exist.
"""

from __future__ import annotations

from shared.user_messages.errors import CodedError, read_all
from shared.user_messages.message import (
    TEMPLATES,
    Message,
    Param,
    Template,
    as_message,
    declare,
    declare_plural,
    literal,
    message_fields,
    sentence,
)

__all__ = [
    "TEMPLATES", "CodedError", "Message", "Param", "Template", "as_message", "declare", "declare_plural", "literal",
    "message_fields", "read_all", "sentence",
]  # fmt: skip

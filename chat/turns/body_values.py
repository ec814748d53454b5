"""Values of request bodies: objects and texts of limited sizes."""
from __future__ import annotations

from typing import Any

from chat.exceptions import Malformed
from shared import strictjson
from shared.strictjson.invisible import is_blank
from shared.user_messages import declare
from shared.user_messages.request_messages import OBJECT_NEEDED, TEXT_BETWEEN

JSON_UP_TO = declare("json_up_to", "This must be JSON of at most {most:,} characters.")

Json = dict[str, Any]


def read_object(value: Any, *, path: str) -> Json:
    """Return a JSON object. Raises Malformed."""
    if not isinstance(value, dict):
        raise Malformed(OBJECT_NEEDED(), path=path)
    return value


def check_size(value: Json, *, path: str, most: int) -> None:
    """Limit a value that is stored with the turn, or sent to the model."""
    if len(strictjson.dumps(value)) > most:
        raise Malformed(JSON_UP_TO(most=most), path=path)


def read_text(value: Any, *, path: str, most: int, least: int = 0) -> str:
    """Return a text of `least` to `most` characters. Raises Malformed."""
    if not isinstance(value, str) or len(value) > most or (least and is_blank(value)):
        raise Malformed(TEXT_BETWEEN(least=least, most=most), path=path)
    return value

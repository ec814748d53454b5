"""The users of other processes in the room of a table."""
from __future__ import annotations

import json
from typing import Any

from tables.consumers.presence import PresentUser
from tables.consumers.rooms import TableRoom
from tests.manual_clock import ManualClock

ADA = PresentUser("ada", 1)


def message(number: int, *present: PresentUser) -> dict[str, Any]:
    users = json.dumps([[user.name, user.user_id] for user in present])
    return {"room": "elsewhere", "number": number, "people": users, "asks": False}


def test_a_late_message_does_not_restore_a_user_who_left() -> None:
    room = TableRoom(7, clock=ManualClock())
    room.update_other(message(1, ADA))
    assert room.users == (ADA,)
    room.update_other(message(3))
    room.update_other(message(2, ADA))
    assert room.users == ()

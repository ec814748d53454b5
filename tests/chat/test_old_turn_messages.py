"""Turns and answers that were stored as English text alone get their messages, where these take no parameters."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps
from django.contrib.auth.models import User

from chat.agent import finalize
from chat.agent.failures import FAILURES
from chat.models import Message, Turn
from shared.user_messages.request_messages import LOGGED_ERROR
from tests.chat.stored_conversations import ended, started

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]

# As these texts were when the migration was written, whatever they are now.
REFUSED = "The model declined to answer this. Try to put it differently."
CUT = "The answer was cut off before it was finished. Ask to go on, or ask for less at a time."
TIMED_OUT = "The answer took too long and was stopped. Please try again, perhaps with a smaller request."


@pytest.mark.parametrize(
    ("text", "closes"),
    [
        (REFUSED, True),
        (f"Yes.\n\n{REFUSED}", True),
        (f"Yes. {REFUSED}", False),
        (f"Yes.\n\n{REFUSED.upper()}", False),
        (f"{REFUSED}\n\nYes.", False),
    ],
)
def test_fixed_texts_of_old_turns_get_their_messages_and_others_none(user: User, text: str, *, closes: bool) -> None:
    turn = ended(started(user), text=text, warning=finalize.CUT(), error=FAILURES["timeout"]())
    other = ended(started(user), warning=finalize.UNFIT_BECAUSE(reason="No."), error=LOGGED_ERROR(id="7"))
    answer, foreign = (Message.objects.get(turn=each, role="assistant") for each in (turn, other))
    imported = Message.objects.create(conversation=turn.conversation, role="assistant", text=text, warning=CUT)
    Turn.objects.update(error_coded=None)
    Message.objects.update(warning_coded=None)
    Turn.objects.filter(pk=turn.pk).update(error_message=TIMED_OUT)
    Message.objects.filter(pk=answer.pk).update(warning=CUT)

    import_module("chat.migrations.0020_messages_of_old_turns").fill(apps, None)

    for each in (turn, other, answer, foreign, imported):
        each.refresh_from_db()
    assert turn.error_coded == FAILURES["timeout"]().as_json()
    assert answer.warning_coded == finalize.CUT().as_json()
    assert answer.closing == (finalize.REFUSED().as_json() if closes else None)
    assert [other.error_coded, foreign.warning_coded, foreign.closing] == [None] * 3
    assert [imported.warning_coded, imported.closing] == [None] * 2

"""Every sentence with which the application ends an answer is known, also behind what a model wrote, which stays."""

from __future__ import annotations

import pytest
from django.utils.translation import override

from chat.agent import ending
from chat.agent.failures import SENTENCES
from chat.payloads.data_proposal import NO_TABLE
from chat.payloads.schema_proposal import OTHER_PAGE
from chat.payloads.wording import FEWER_ROWS, GONE
from chat.services import INTERRUPTED
from retold import closing_retold, retold
from tables.operations.data_proposal import NO_MATCH, NOTHING_TO_CHANGE

CLOSING = (
    ending.UNREADABLE,
    ending.UNFIT,
    f"{ending.UNFIT} There is no column “Compny”. Did you mean “Company”?",
    *(f"{ending.UNFIT} {reason}" for reason in (OTHER_PAGE["create"], OTHER_PAGE["update"], NO_TABLE)),
    f"A proposal can hold at most 10,000 changes; this one would have 66,775. {FEWER_ROWS}",
    ending.CUT_OFF,
    ending.CUT,
    ending.OUT_OF_STEPS,
    ending.REFUSED,
    ending.SILENT,
    GONE,
    "You may look at this table, but not change it. So nothing is proposed.",
    *(f"{each} So there is nothing to change." for each in (NO_MATCH(), NOTHING_TO_CHANGE())),
    f"{NO_MATCH()} {NOTHING_TO_CHANGE()} So there is nothing to change.",
    f"{NOTHING_TO_CHANGE()} {NO_MATCH()} So there is nothing to change.",
)
LEFT = (
    "",
    "“Acme”",
    "Acme: Numbers must be finite.",
    "Added 1 row",
    f"It says: {ending.SILENT}",
    f"{ending.SILENT}\nNo?",
    f"{ending.SILENT}\n\n",
    "Nobody knows. So nothing is proposed.",
    "x" * 10**6,
)


@pytest.mark.parametrize("sentence", CLOSING)
def test_every_sentence_that_closes_an_answer_is_known(sentence: str) -> None:
    with override("de"):
        told = closing_retold(sentence)
        assert told != sentence
        assert closing_retold(f"One.\n\nTwo.\n\n{sentence}") == f"One.\n\nTwo.\n\n{told}"
    assert closing_retold(sentence) == sentence


@pytest.mark.parametrize("written", LEFT, ids=range(len(LEFT)))
def test_what_others_wrote_stays_as_it_is(written: str) -> None:
    with override("de"):
        assert closing_retold(written) == written
        assert closing_retold(f"Look:\n\n{written}") == f"Look:\n\n{written}"


@pytest.mark.parametrize("sentence", [*SENTENCES.values(), INTERRUPTED, ending.CUT, ending.OUT_OF_STEPS])
def test_every_sentence_about_what_went_wrong_is_known(sentence: str) -> None:
    with override("de"):
        assert retold(sentence) != sentence

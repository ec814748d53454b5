"""A table's life over HTTP, with a model of it in plain Python beside: every answer and the whole state agree."""
from __future__ import annotations

import pytest
from django.test import override_settings
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test as run

from tests.flows.stateful.column_proposals import ColumnProposalsOfALife
from tests.flows.stateful.columns import ColumnsOfALife
from tests.flows.stateful.history import HistoryOfALife
from tests.flows.stateful.new_tables import NewTablesOfALife
from tests.flows.stateful.one_row import OneRowOfALife
from tests.flows.stateful.row_proposals import RowProposalsOfALife
from tests.flows.stateful.rows import RowsOfALife
from tests.flows.stateful.several_users import PeopleOfALife

pytestmark = pytest.mark.slow


class Life(
    RowsOfALife, OneRowOfALife, ColumnsOfALife, RowProposalsOfALife, ColumnProposalsOfALife, HistoryOfALife,
    PeopleOfALife, NewTablesOfALife,
):  # fmt: skip
    """All that may happen to a table, in any order."""


@pytest.mark.parametrize("lives", [20, pytest.param(300, marks=pytest.mark.soak)])
def test_every_answer_and_the_whole_state_agree_with_the_model(db: None, lives: int) -> None:
    chosen = settings(
        max_examples=lives,
        stateful_step_count=15,
        # What failed last time comes first. Not shrunk: with requests behind every step that takes minutes, and the
        # steps are few.
        phases=[Phase.reuse, Phase.generate],
    )
    # On a fast computer lives take more calls in a minute than one person has: what is refused then would be another
    # step each time, and no life could be lived again.
    with override_settings(API_CALLS_A_MINUTE=1_000_000):
        run(Life, settings=chosen)

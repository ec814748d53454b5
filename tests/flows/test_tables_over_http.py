"""A stateful test of tables over HTTP: every response and the whole state agree with a model."""
from __future__ import annotations

import pytest
from django.test import override_settings
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test as run

from tests.flows.stateful.column_proposals import ColumnProposalRules
from tests.flows.stateful.columns import ColumnRules
from tests.flows.stateful.history import HistoryRules
from tests.flows.stateful.new_tables import NewTableRules
from tests.flows.stateful.one_row import SingleRowRules
from tests.flows.stateful.row_proposals import RowProposalRules
from tests.flows.stateful.rows import RowRules
from tests.flows.stateful.several_users import MemberRules

pytestmark = pytest.mark.slow


class Machine(
    RowRules, SingleRowRules, ColumnRules, RowProposalRules, ColumnProposalRules, HistoryRules,
    MemberRules, NewTableRules,
):  # fmt: skip
    """All operations on a table, in any order."""


@pytest.mark.parametrize("runs", [8, pytest.param(300, marks=pytest.mark.soak)])
def test_responses_and_state_agree_with_the_model(db: None, runs: int) -> None:
    chosen = settings(
        max_examples=runs,
        stateful_step_count=15,
        # Earlier failures are replayed first. No shrinking: with requests in every step it takes minutes, and the
        # steps are few.
        phases=[Phase.reuse, Phase.generate],
    )
    # A fast computer sends more requests per minute than one user may: a refused request would be another step each
    # time, and no run could be reproduced.
    with override_settings(API_CALLS_A_MINUTE=1_000_000):
        run(Machine, settings=chosen)

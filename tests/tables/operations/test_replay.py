"""The changes that each step of a history undoes and redoes, compared with a model of switches."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tables.operations.changes.history_replay import Effect, Step, effect_of_last
from tests.hypothesis_examples import examples

Switches = frozenset[int]
ACTIONS = st.tuples(st.sampled_from(["change", "undo", "restore"]), st.integers(0, 20))


class History:
    """A history with a switch for each change, which is on while the change is in force."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.states: list[Switches] = [frozenset()]
        self._last_of: dict[int, Step] = {}

    def act(self, action: str, index: int) -> None:
        """Add a change, undo the last step of a chain of undo and redo, or restore the state of a version."""
        now, version = self.states[-1], len(self.states)
        if action == "change":
            self._add(version, {}, now | {version})
        elif action == "restore":
            self._add(version, {"restored_version": index % version}, self.states[index % version])
        elif self.steps:
            original = list(self._last_of)[index % len(self._last_of)]
            last = self._last_of[original]
            was, became = self.states[last.version - 1], self.states[last.version]
            details = {"undo_of": last.id, "is_redo": last.undo_of is not None and not last.is_redo}
            self._add(original, details, (now - (became - was)) | (was - became))

    def _add(self, original: int, details: dict[str, Any], after: Switches) -> None:
        # A change without effect would be refused.
        if after != self.states[-1]:
            version = len(self.states)
            self._last_of[original] = step = Step(version, version, **details)
            self.steps.append(step)
            self.states.append(after)


@examples(200)
@given(actions=st.lists(ACTIONS, max_size=14))
def test_each_step_undoes_and_redoes_what_it_turns_off_and_on(actions: list[tuple[str, int]]) -> None:
    history = History()
    for action, index in actions:
        history.act(action, index)
    restores = {step.id for step in history.steps if step.restored_version is not None}
    for step in history.steps:
        effect = effect_of_last(history.steps[: step.version])
        was, became = history.states[step.version - 1], history.states[step.version]
        expected = Effect(undone=was - became, redone=became - was)
        assert Effect(effect.undone - restores, effect.redone - restores) == expected

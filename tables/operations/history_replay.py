"""Which changes of a table are in force: its history replayed, with undos, redos and restores to earlier states."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """A change, as far as it matters to which changes are in force.

    `undo_of` is the id of the step that it took back. Only restores have a `restored_version`: all later changes are
    undone by them.
    """

    id: int
    version: int
    undo_of: int | None = None
    is_redo: bool = False
    restored_version: int | None = None


@dataclass(frozen=True)
class Effect:
    """Ids of the changes that a step undid and of those that it put into force, itself included.

    Of a chain of undo and redo, it is the id of the change that the chain begins with.
    """

    undone: frozenset[int] = frozenset()
    redone: frozenset[int] = frozenset()

    def inverted(self) -> Effect:
        """Return the opposite."""
        return Effect(undone=self.redone, redone=self.undone)


def effect_of_last(steps: Iterable[Step]) -> Effect:
    """Return what the latest of these steps did.

    For each step, the one it took back must be among them. Changes that were made before all of them are left as they
    are.
    """
    history = sorted(steps, key=lambda step: step.version)
    versions = sorted({step.restored_version for step in history if step.restored_version is not None}, reverse=True)
    states: dict[int, frozenset[int]] = {}
    originals: dict[int, int] = {}
    of_restores: dict[int, Effect] = {}
    in_force: set[int] = set()
    effect = Effect()
    for step in history:
        while versions and versions[-1] < step.version:
            states[versions.pop()] = frozenset(in_force)
        original = originals[step.id] = step.id if step.undo_of is None else originals[step.undo_of]
        if step.restored_version is not None:
            then = states[step.restored_version] | {step.id}
            effect = Effect(undone=frozenset(in_force - then), redone=then - in_force)
        elif step.undo_of in of_restores:
            # What was done since is left as it is.
            effect = of_restores[step.undo_of].inverted()
        else:
            effect = Effect(redone=frozenset({original}))
            effect = effect if step.undo_of is None or step.is_redo else effect.inverted()
        effect = Effect(undone=effect.undone & in_force, redone=effect.redone - in_force)
        in_force -= effect.undone
        in_force |= effect.redone
        if step.restored_version is not None or step.undo_of in of_restores:
            of_restores[step.id] = effect
    return effect

"""Find which changes of a table are in effect, by replaying its history of undos, redos and restores."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """A change, reduced to what determines which changes are in effect.

    `undo_of` is the id of the step that it undid. Only restores have a `restored_version`: they undo all later
    changes.
    """

    id: int
    version: int
    undo_of: int | None = None
    is_redo: bool = False
    restored_version: int | None = None


@dataclass(frozen=True)
class Effect:
    """Ids of the changes that a step undid and of those that it put into effect, itself included.

    For a chain of undo and redo, this is the id of the first change of the chain.
    """

    undone: frozenset[int] = frozenset()
    redone: frozenset[int] = frozenset()

    def inverted(self) -> Effect:
        """Return the opposite."""
        return Effect(undone=self.redone, redone=self.undone)


def effect_of_last(steps: Iterable[Step]) -> Effect:
    """Return the effect of the last of these steps.

    The step that an undo refers to must be among them. Changes before all of them are not affected.
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
            # Changes after the restore are not affected.
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

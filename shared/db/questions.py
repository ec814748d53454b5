"""Questions: statements that belong together, with how what they find is read; several are asked in one trip."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar

from shared.db.compiled import Statement, send

T = TypeVar("T")


@dataclass(frozen=True)
class Question(Generic[T]):
    """`read` is given what each of the statements found, and makes the answer of it."""

    statements: tuple[Statement, ...]
    read: Callable[..., T]


def ask(question: Question[T]) -> T:
    """The answer."""
    return question.read(*send(*question.statements))


def ask_together(*questions: Question[Any]) -> list[Any]:
    """The answer of each, one asked after the other; in one trip where the database takes several at once."""
    found = iter(send(*(statement for question in questions for statement in question.statements)))
    return [question.read(*islice(found, len(question.statements))) for question in questions]

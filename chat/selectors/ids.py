"""Ids as they come from outside: a text that cannot be an id names nothing."""
from __future__ import annotations

import json
import re
from typing import Any, Literal
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import CharField, Lookup, QuerySet, UUIDField
from django.db.transaction import TransactionManagementError

from chat.exceptions import NotFound
from statements import Compiled, Statement, send
from user_messages import declare

Kind = Literal["answer", "conversation", "message", "payload", "turn"]
NO_SUCH = {
    "answer": declare("no_such_answer", "There is no such answer."),
    "conversation": declare("no_such_conversation", "There is no such conversation."),
    "message": declare("no_such_message", "There is no such message."),
    "payload": declare("no_such_payload", "There is no such payload."),
    "turn": declare("no_such_turn", "There is no such turn."),
}

UUID_FORM = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


@UUIDField.register_lookup
class Among(Lookup):
    """`__among=ids`: what `__in` says, with all ids in one parameter; hundreds of placeholders cost more than rows."""

    lookup_name = "among"

    def get_prep_lookup(self) -> list[Any]:
        return list(self.rhs)

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        column, params = self.process_lhs(compiler, connection)
        if connection.vendor == "postgresql":
            return f"{column} = ANY(%s::uuid[])", [*params, self.rhs]
        return f"{column} IN (SELECT value FROM json_each(%s))", [*params, json.dumps([one.hex for one in self.rhs])]


@CharField.register_lookup
class AmongTexts(Among):
    """The same of texts."""

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        column, params = self.process_lhs(compiler, connection)
        if connection.vendor == "postgresql":
            return f"{column} = ANY(%s::text[])", [*params, self.rhs]
        return f"{column} IN (SELECT value FROM json_each(%s))", [*params, json.dumps(self.rhs)]


def as_uuid(value: Any, *, what: Kind) -> UUID:
    """The UUID of a text in its usual form. Raises NotFound, for there is nothing with another id."""
    if isinstance(value, UUID):
        return value
    if isinstance(value, str) and UUID_FORM.fullmatch(value):
        return UUID(value)
    raise nothing(what)


def nothing(what: Kind) -> NotFound:
    """Return the same error for what does not exist and for what belongs to another user."""
    return NotFound(NO_SUCH[what]())


def lock_person(user: Any) -> None:
    """Until the transaction ends, nobody else counts what this person has open or began: not in any process."""
    for lock in locking(user):
        send(lock)


def locking(user: Any) -> tuple[Statement, ...]:
    """What is to be sent for that, before whatever is counted."""
    if not connection.features.has_select_for_update:
        return ()  # A transaction that writes is alone there from its beginning.
    if not connection.in_atomic_block:
        raise TransactionManagementError("a lock needs a transaction")
    return (LOCK.statement(user_id=user.pk),)


def _lock(*, user_id: Any) -> QuerySet[Any, tuple[Any, ...]]:
    # Not the whole row: whatever else refers to the person need not wait.
    people = get_user_model().objects.select_for_update(no_key=True)
    return people.filter(pk=user_id).order_by().values_list("pk")


LOCK = Compiled(_lock, user_id=int)

"""Access to objects of users: visible conversations, ids from outside, the lock on a user."""

from __future__ import annotations

import json
import re
from typing import Any, Literal
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import CharField, Lookup, Q, QuerySet, UUIDField
from django.db.transaction import TransactionManagementError

from chat.exceptions import NotFound
from chat.page_config import pages
from shared.db import CompiledQuery, Statement, run_statements
from shared.user_messages import declare

Kind = Literal["answer", "conversation", "message", "payload", "turn"]
NO_SUCH = {
    "answer": declare("no_such_answer", "Answer not found."),
    "conversation": declare("no_such_conversation", "Conversation not found."),
    "message": declare("no_such_message", "Message not found."),
    "payload": declare("no_such_payload", "Payload not found."),
    "turn": declare("no_such_turn", "Turn not found."),
}

UUID_FORM = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


@UUIDField.register_lookup
class Among(Lookup):
    """`__among=ids`: like `__in`, with all ids in one parameter, because hundreds of placeholders are slow."""

    lookup_name = "among"

    def get_prep_lookup(self) -> list[Any]:
        return list(self.rhs)

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        column, params = self.process_lhs(compiler, connection)
        if connection.vendor == "postgresql":
            return f"{column} = ANY(%s::uuid[])", [*params, self.rhs]
        return f"{column} IN (SELECT value FROM json_each(%s))", [
            *params,
            json.dumps([value.hex for value in self.rhs]),
        ]


@CharField.register_lookup
class AmongTexts(Among):
    """`__among` for texts."""

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        column, params = self.process_lhs(compiler, connection)
        if connection.vendor == "postgresql":
            return f"{column} = ANY(%s::text[])", [*params, self.rhs]
        return f"{column} IN (SELECT value FROM json_each(%s))", [*params, json.dumps(self.rhs)]


def parse_uuid(value: Any, *, kind: Kind) -> UUID:
    """Return the UUID that a text represents. Raises NotFound, as for an id that does not exist."""
    if isinstance(value, UUID):
        return value
    if isinstance(value, str) and UUID_FORM.fullmatch(value):
        return UUID(value)
    raise not_found(kind)


def not_found(kind: Kind) -> NotFound:
    """Return the error for an object that does not exist or belongs to another user."""
    return NotFound(NO_SUCH[kind]())


def lock_user(user: Any) -> None:
    """Lock the user until the transaction ends, so that limits on their turns and streams are checked one at a time."""
    for statement in lock_user_statements(user):
        run_statements(statement)


def lock_user_statements(user: Any) -> tuple[Statement, ...]:
    """Return the statements of `lock_user`, to be sent before the queries that count."""
    if not connection.features.has_select_for_update:
        return ()  # SQLite: a transaction holds the only write lock from its start.
    if not connection.in_atomic_block:
        raise TransactionManagementError("a lock needs a transaction")
    return (LOCK_USER.statement(user_id=user.pk),)


def _locked_user(*, user_id: Any) -> QuerySet[Any, tuple[Any, ...]]:
    # FOR NO KEY UPDATE, so that inserts with a foreign key to the user do not wait.
    users = get_user_model().objects.select_for_update(no_key=True)
    return users.filter(pk=user_id).order_by().values_list("pk")


LOCK_USER = CompiledQuery(_locked_user, user_id=int)


def visible_to(user: Any, *, through: str = "", trashed: bool | None = False) -> Q:
    """Return the condition for the conversations that a user may see.

    `through` is the lookup path to the conversation, such as "conversation__". `trashed` selects deleted
    conversations (True), others (False) or both (None). A page can restrict its objects to those that the user may
    see (`PageConfig.visible_objects`); conversations about other objects are hidden until the user may see them again.
    """
    restricted = [config for config in pages if config.visible_objects is not None]
    condition = Q(**{f"{through}user": user, f"{through}sandbox": False})
    if trashed is not None:
        condition &= Q(**{f"{through}deleted_at__isnull": not trashed})
    visible = ~Q(**{f"{through}page__in": [config.page for config in restricted]})
    # One subquery for all pages about the same objects.
    pages_by_objects: dict[Any, list[str]] = {}
    for config in restricted:
        pages_by_objects.setdefault(config.visible_objects, []).append(config.page)
    for visible_objects, names in pages_by_objects.items():
        visible |= Q(**{f"{through}page__in": names, f"{through}object_id__in": visible_objects(user)})
    return condition & visible

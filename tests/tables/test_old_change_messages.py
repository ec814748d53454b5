"""Changes that were stored as English text alone get their messages, where the text can be read exactly."""

from __future__ import annotations

from importlib import import_module

from django.apps import apps

from shared.user_messages import Message, sentence
from tables.models import Change, Table
from tables.operations import summaries
from tables.services import duplicating, schema_proposals, tables
from tables.services.imports import writing
from tables.services.undo import changes, history_restore
from tests.conftest import Api
from tests.tables.shared_table import make_table

MIGRATION = import_module("tables.migrations.0017_messages_of_old_changes")

MANY_NAMES = summaries.NAMES_AND_MORE(names=("A", "B", "C"), count=3)
NEW_AND_CHANGED = writing.NEW_AND_CHANGED_ROWS(new=1_000, changed=2)
RESTORE = history_restore.RESTORED_AS_OF(moment="2026-11-20T08:05:00+00:00")
ROWS = [summaries.ADDED_ROWS(count=1), summaries.CHANGED_ROWS(count=1_234), summaries.DELETED_ROWS(count=2)]
READABLE: list[Message] = [
    sentence([*ROWS, summaries.ADDED_OPTION(option="Paused", column="Status, now")]),
    sentence([summaries.ADDED_OPTIONS(count=2, column="Status"), summaries.ADDED_COLUMNS(count=2, names=("A", "B"))]),
    sentence([summaries.MOVED_ROWS(count=3)]),
    sentence([
        summaries.ADDED_COLUMNS(count=6, names=MANY_NAMES),
        summaries.DELETED_OPTION(option="a, b", column="C"),
        summaries.RENAMED_OPTION(option="a", new_name="b"),
        summaries.CHANGED_COLUMNS(count=1, names=("Name, first",)),
        summaries.REMOVED_COLUMNS(count=3, names=("A", "B", "C")),
        summaries.MOVED_COLUMNS(count=1, names=("D and 3 more",)),
        summaries.RENAMED_TABLE(),
        summaries.CHANGED_DESCRIPTION(),
    ]),
    summaries.NOTHING_TO_DO(),
    schema_proposals.CREATED(name="Jobs, “new” and 3 more"),
    duplicating.COPIED(count=1, name="Jobs"),
    tables.TRASHED(),
    tables.RESTORED(),
    RESTORE,
    writing.IMPORTED(rows=writing.ROWS(count=1), file="rows from b.csv"),
    writing.IMPORTED_WITH_COLUMNS(
        rows=NEW_AND_CHANGED, columns=writing.COLUMNS(count=2), file="a and 1 column from b.csv"
    ),
    changes.UNDID(summary=sentence([summaries.ADDED_ROWS(count=2), summaries.RENAMED_TABLE()])),
    changes.REDID(summary=RESTORE),
]  # fmt: skip
UNREADABLE = [
    "", "Undid: ", "Undid: something", "Renamed the table and more", "Added column ", "Added columns A",
    "Added 1 rows", "Added 1234 rows", "Added 2 rows, ", "added 2 rows", "Added option A to B to C",
    "Restored as of 2026-13-45 10:00 UTC", f"Created “{'x' * 245}”", "Imported 1 rows from a.csv",
]  # fmt: skip


def test_summaries_that_can_be_read_exactly_get_their_messages_and_others_none(api: Api) -> None:
    make_table(api)
    table = Table.objects.get()
    expected = {str(message): message.as_json() for message in READABLE} | dict.fromkeys(UNREADABLE)
    # In several batches, the first of which cannot be read at all.
    summaries = ["Did it"] * MIGRATION.BATCH + list(expected)
    Change.objects.bulk_create(
        Change(table=table, version=version, source="api", summary=summary)
        for version, summary in enumerate(summaries, start=100)
    )
    MIGRATION.fill(apps, None)

    stored = dict(Change.objects.filter(version__gte=100).values_list("summary", "summary_message"))
    assert stored == {"Did it": None} | expected
    filled = {text: form for text, form in stored.items() if form}
    assert {text: str(Message.from_json(form)) for text, form in filled.items()} == {text: text for text in filled}

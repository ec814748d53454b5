"""Tables, columns, rows, changes with their undo, sharing, view settings and statistics."""
from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from shared import strictjson
from shared.user_messages import Message
from tables.exceptions import Fault

BASE32 = "abcdefghijklmnopqrstuvwxyz234567"
# Distance between the positions of appended rows, so that others can be inserted between them.
POSITION_STEP = 2**20


def new_column_id() -> str:
    """Return `col_` and 8 random base-32 characters. Ids are never reused."""
    return "col_" + "".join(secrets.choice(BASE32) for _ in range(8))


class Table(models.Model):
    """A table of one owner. `version` grows by one with every change.

    `next_position` is the number of rows ever added. A row added at the end gets that many POSITION_STEPs as its
    position, a row added between others a position in between. Deleted rows retain their position, so that undo
    restores them there. `purging`: the table has expired in the trash, is invisible, and is being deleted permanently
    in batches. `counted_rows` is the number of rows at `counted_version`, and valid for this version only.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="tables")
    name = models.CharField(max_length=255)
    description = models.TextField(blank=True)
    version = models.PositiveBigIntegerField(default=0)
    next_position = models.BigIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    deleted_at = models.DateTimeField(null=True, blank=True)
    purging = models.BooleanField(default=False, editable=False)
    # The running number of the next row; None until a column shows these numbers.
    next_number = models.BigIntegerField(null=True, editable=False)
    # Processes of an earlier release do not update these fields: the rows are then counted.
    counted_rows = models.PositiveBigIntegerField(null=True, editable=False)
    counted_version = models.PositiveBigIntegerField(null=True, editable=False)

    class Meta:
        default_permissions = ()
        permissions = [
            ("view_table", "View the columns, members and owner of tables, without rows"),
            ("change_table", "Move tables to the trash, restore them, and change their owner"),
        ]
        indexes = [
            models.Index(fields=["owner", "deleted_at", "-updated_at"], name="tables_by_owner"),
            models.Index(fields=["deleted_at"], name="tables_in_trash", condition=models.Q(deleted_at__isnull=False)),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def known_rows(self) -> int | None:
        """The number of rows of this version, None if it is not stored."""
        return self.counted_rows if self.counted_version == self.version else None


class Column(models.Model):
    """A column; `position` counts from 0 without gaps, `options` is a list of strings (select only).

    `option_colors` maps options to colour names; an option that is not in it gets the next unused colour. `settings`
    are those of the type that differ from their defaults.
    """

    id = models.CharField(primary_key=True, max_length=16, default=new_column_id, editable=False)
    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="columns")
    name = models.CharField(max_length=255)
    type = models.CharField(max_length=32)
    required = models.BooleanField(default=False)
    default: models.JSONField[Any, Any] = models.JSONField(null=True, blank=True)
    options: models.JSONField[Any, Any] = models.JSONField(default=list, blank=True)
    option_colors: models.JSONField[Any, Any] = models.JSONField(
        default=dict, blank=True, db_default=models.Value({}, models.JSONField())
    )
    filter_display = models.CharField(max_length=16, default="dropdown")
    settings: models.JSONField[Any, Any] = models.JSONField(
        default=dict, blank=True, db_default=models.Value({}, models.JSONField())
    )
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["position"]
        indexes = [models.Index(fields=["table", "position"], name="columns_in_order")]

    def __str__(self) -> str:
        return self.name


class Row(models.Model):
    """A row. `data` maps ids of live columns to values; empty cells are left out. Equal rows have the same JSON text.

    PostgreSQL has no constraints on the keys to the table and the users, which took a third of the time of adding
    rows. Each transaction that writes rows also records a `Change` with the same table and user, whose constraints
    it must satisfy, and a deletion locks the table or user first (`tables.services.pipeline.locking.lock_deleted`).
    """

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="rows", db_constraint=False)
    position = models.BigIntegerField()
    data: models.JSONField[Any, Any] = models.JSONField(default=dict, encoder=strictjson.CanonicalEncoder)
    # The running number, which is never used again. None in tables without a column that shows it.
    running_number = models.BigIntegerField(null=True, editable=False)
    version = models.PositiveBigIntegerField(default=1)
    search_text = models.TextField(blank=True)
    # SQLite only: `tables.column_types.row_digest.folded_cells`. None if not computed, as in rows of earlier releases.
    folded_cells = models.TextField(null=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    # Users have no indexes, which every write would have to maintain: only the deletion of an account searches by user.
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="rows_created",
        db_index=False,
        db_constraint=False,
    )
    updated_at = models.DateTimeField(auto_now=True)
    updated_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="rows_updated",
        db_index=False,
        db_constraint=False,
    )
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["table", "position", "id"], name="rows_in_order", condition=models.Q(deleted_at__isnull=True)
            ),
            models.Index(
                fields=["table", "deleted_at"], name="rows_deleted", condition=models.Q(deleted_at__isnull=False)
            ),
            models.Index(
                fields=["table", "position", "id"],
                name="rows_deleted_in_order",
                condition=models.Q(deleted_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"row {self.pk}"


class Change(models.Model):
    """One change of a table from any source. Its pieces have the values before and after, for undo and redo.

    `proposal_id` and `turn_id` are plain UUIDs, because tables are independent of the chat. The former is the id of a
    fill if that is the source. `undo_of` is the change that this one undid; a redo is the undo of an undo (`is_redo`).
    `is_exact` is whether a redo restored exactly what its undo removed. It is None until the redo is undone, because
    it is not needed before. `skipped` are the values that an undo could not restore; only the service that made the
    undo sets it.
    """

    skipped: Sequence[Fault] = ()

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="changes")
    version = models.PositiveBigIntegerField()
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="changes")
    source = models.CharField(max_length=16)
    # The summary as English text, and as a message; the latter is null for changes of earlier releases.
    summary = models.CharField(max_length=255)
    summary_message: models.JSONField[Any, Any] = models.JSONField(null=True, blank=True)
    proposal_id = models.UUIDField(null=True, blank=True, db_index=True)
    turn_id = models.UUIDField(null=True, blank=True)
    undo_of = models.OneToOneField("self", null=True, blank=True, on_delete=models.PROTECT, related_name="undone_by")
    is_redo = models.BooleanField(default=False)
    is_exact = models.BooleanField(null=True, editable=False)
    counts: models.JSONField[Any, Any] = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        default_permissions = ()
        permissions = [("view_change", "View changes of tables, without cells")]
        constraints = [models.UniqueConstraint(fields=["table", "version"], name="one_change_per_version")]
        indexes = [models.Index(fields=["created_at"], name="changes_by_age")]
        ordering = ["-version"]

    def __str__(self) -> str:
        return self.summary

    @property
    def message(self) -> Message:
        """The summary as a message."""
        return Message.from_json(self.summary_message, text=self.summary)

    @property
    def pieces(self) -> models.QuerySet[ChangePiece]:
        """The pieces in order, read from the partition of the table."""
        return ChangePiece.objects.filter(table_id=self.table_id, change_id=self.pk)


class ChangePiece(models.Model):
    """A part of a change small enough to load alone (at most 5,000 cells).

    `steps` is a part of a delta (`tables.operations.changes.delta`): each entry holds the values before and after, for
    undo and redo.
    """

    # That of the change, by which PostgreSQL partitions the pieces.
    table = models.ForeignKey(
        Table, null=True, on_delete=models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )
    change = models.ForeignKey(
        Change, on_delete=models.CASCADE, related_name="stored_pieces", db_constraint=False, db_index=False
    )
    index = models.PositiveIntegerField()
    steps: models.JSONField[Any, Any] = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["table", "change", "index"], name="pieces_in_order")]
        ordering = ["index"]

    def __str__(self) -> str:
        return f"piece {self.index} of change {self.change_id}"


class ColumnUse(models.Model):
    """The number of times that a large table was sorted or filtered by a column, which decides about indexes.

    Searches, which read all columns, have no column id. Rows that are no longer used are deleted when the indexes are
    updated.
    """

    class How(models.TextChoices):
        ASCENDING = "asc"
        DESCENDING = "desc"
        FILTERED = "filter"
        SEARCHED = "search"

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="column_uses")
    column_id = models.CharField(max_length=16)
    how = models.CharField(max_length=8, choices=How.choices)
    uses = models.PositiveBigIntegerField(default=1)
    used_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["table", "column_id", "how"], name="one_count_per_use")]

    def __str__(self) -> str:
        return f"{self.column_id} {self.how}: {self.uses}"


class Member(models.Model):
    """A user who may view or edit a table of another user, because they accepted an invitation to it.

    Servers of the previous release, which run until the end of an upgrade, still write `name`, and rows without a
    user for names that have no account. The latter grant nothing and are not listed.
    """

    class Role(models.TextChoices):
        VIEWER = "viewer"
        EDITOR = "editor"

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="table_memberships"
    )
    name = models.CharField(max_length=150, blank=True, default="", editable=False)
    role = models.CharField(max_length=8, choices=Role.choices)
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    added_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["table", "user"], name="one_role_per_member"),
            models.UniqueConstraint(
                fields=["table", "name"], name="one_member_per_name", condition=models.Q(user__isnull=True)
            ),
        ]
        indexes = [models.Index(fields=["user", "table"], name="tables_shared_with")]

    def __str__(self) -> str:
        return f"{self.user}, {self.role}"


class Invitation(models.Model):
    """An open invitation to become a member of a table; accepted and withdrawn ones are deleted.

    `kind` is how it is delivered: in the list of tables of the invited user (by user name), by e-mail, or by a link
    that the owner shares. `name` is the user name or e-mail address as the owner typed it. `user` is the account that
    had this name when the invitation was sent, or the only account with this confirmed address, else null; the owner
    never sees it. Only the hash of the token of a mail or link is stored; an invitation by user name has no token.

    `declined_at` hides the invitation from the list of the invited user. The owner's list does not change, because
    that would reveal whether an account exists.
    """

    class Kind(models.TextChoices):
        USER = "user"
        EMAIL = "email"
        LINK = "link"

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="invitations")
    # Database defaults: servers of the previous release create links only, without naming these columns.
    kind = models.CharField(max_length=5, choices=Kind.choices, default=Kind.LINK, db_default=Kind.LINK)
    name = models.CharField(max_length=254, blank=True, default="", db_default="")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="table_invitations"
    )
    token_hash = models.CharField(max_length=64, unique=True, null=True)
    role = models.CharField(max_length=8, choices=Member.Role.choices)
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    declined_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["table", "kind", "name"],
                name="one_invitation_per_name",
                condition=models.Q(accepted_at__isnull=True) & ~models.Q(name=""),
            ),
        ]
        indexes = [
            models.Index(
                fields=["name"], name="invitations_by_address", condition=models.Q(kind="email", accepted_at=None)
            )
        ]

    def __str__(self) -> str:
        return f"invitation {self.pk}"


class ReadOnlyLink(models.Model):
    """The link for reading a table without signing in. Only the hash of its token is stored."""

    table = models.OneToOneField(Table, on_delete=models.CASCADE, related_name="read_only_link")
    token_hash = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"reading link {self.pk}"


class PersonalView(models.Model):
    """The view settings of a user: widths of columns in pixels by column id, and ids of hidden columns.

    They may include ids of removed columns, which are to be ignored.
    """

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="personal_views")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="personal_views")
    widths: models.JSONField[Any, Any] = models.JSONField(default=dict)
    hidden: models.JSONField[Any, Any] = models.JSONField(default=list)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["table", "user"], name="one_view_per_user")]

    def __str__(self) -> str:
        return f"view {self.pk}"


class CachedStatistics(models.Model):
    """The last statistics of a large table, for one filter and search, cached for all processes.

    `key` is a hash of the table, its columns and the query (`filter`, `search`); `state` identifies the content of the
    table at that time. `requested_at` is when newer statistics were first requested.
    """

    key = models.CharField(primary_key=True, max_length=64)
    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="kept_figures")
    filter: models.JSONField[Any, Any] = models.JSONField(null=True)
    search = models.TextField(blank=True)
    state = models.CharField(max_length=64)
    figures = models.TextField()
    computed_at = models.DateTimeField()
    requested_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["computed_at"], name="statistics_by_age")]

    def __str__(self) -> str:
        return f"figures of table {self.table_id}"

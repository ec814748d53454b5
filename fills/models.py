"""Fills, standing fills, results, origins, and how long workers wait for a model."""
from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models


class Fill(models.Model):
    """One instruction for the rows of a table.

    `columns` are the ids of the columns to fill, `instruction` is in the form of `fills.instruction`, `row_choice` is
    "empty", "all", `{"ids": […]}` or `{"filter": …}`, `examples` are ids of rows. `estimate` is described in
    `fills.services.estimates`. `budget` is the number of tokens after which no further call is made. `prompt` is what
    is the same in all calls, see `fills.prompt`; it is made when the first row is tried or run. `reason` is the message
    of a fill that is paused or failed. `notify`: the user asked for a mail when it ends. `is_unseen`: workers have
    ended with it, and its user has neither opened nor dismissed the notice. With the mode "batch" rows are sent in
    batches; `batched` are the tokens of these by kind, which the others include. `cost` is what all have cost in
    US dollars at the prices of their time, "" without prices. `hidden_columns` are those that the user had hidden in
    the table when the instruction was written: their cells are only sent if it names them.
    """

    class State(models.TextChoices):
        DRAFT = "draft"
        RUNNING = "running"
        PAUSED = "paused"
        DONE = "done"
        CANCELLED = "cancelled"
        FAILED = "failed"

    class Mode(models.TextChoices):
        LIVE = "live"
        BATCH = "batch"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    table = models.ForeignKey("tables.Table", on_delete=models.CASCADE, related_name="fills")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="fills")
    state = models.CharField(max_length=16, choices=State.choices, default=State.DRAFT)
    columns: models.JSONField[Any, Any] = models.JSONField(default=list)
    instruction: models.JSONField[Any, Any] = models.JSONField(default=list)
    row_choice: models.JSONField[Any, Any] = models.JSONField(default=str)
    examples: models.JSONField[Any, Any] = models.JSONField(default=list)
    sources = models.CharField(max_length=8, default="row")
    apply = models.CharField(max_length=16, default="review")
    model = models.CharField(max_length=64, blank=True)
    estimate: models.JSONField[Any, Any] = models.JSONField(default=dict)
    budget = models.PositiveBigIntegerField(default=0)
    prompt: models.JSONField[Any, Any] = models.JSONField(null=True)
    calls = models.PositiveBigIntegerField(default=0)
    input_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)
    cached_tokens = models.PositiveBigIntegerField(default=0)
    notify = models.BooleanField(default=False)
    mode = models.CharField(max_length=8, choices=Mode.choices, default=Mode.LIVE)
    batched: models.JSONField[Any, Any] = models.JSONField(default=dict)
    cost = models.CharField(max_length=24, blank=True)
    hidden_columns: models.JSONField[Any, Any] = models.JSONField(default=list)
    is_unseen = models.BooleanField(default=False)
    reason: models.JSONField[Any, Any] = models.JSONField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        default_permissions = ()
        indexes = [
            models.Index(fields=["table", "-created_at"], name="fills_by_table"),
            models.Index(fields=["updated_at"], name="fills_by_age"),
            # Read with each page that has the assistant.
            models.Index(fields=["user"], name="unseen_fills", condition=models.Q(is_unseen=True)),
        ]

    @property
    def has_used_budget(self) -> bool:
        """Whether no further call may be made before the budget is raised."""
        return self.input_tokens + self.output_tokens >= self.budget

    def __str__(self) -> str:
        return f"fill {self.pk}"


class Batch(models.Model):
    """Rows of a fill that are sent to the provider together, and answered within a day.

    It is stored before it is sent; its id is part of each request, so that a batch of the provider can be recognised.
    `provider_id` is the provider's id, "" until it is known. It is checked again at `check_at`, which a worker moves on
    before it does so. `checks` counts these. `not_ours` are ids of the provider's batches that may have been this
    one, and are not. `is_guessed`: `provider_id` was found by size and time, because its worker was killed.
    `is_cancelled`: it was cancelled at the provider, as it is if the fill was deleted.
    """

    class State(models.TextChoices):
        SENDING = "sending"
        SENT = "sent"
        ENDED = "ended"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    fill = models.ForeignKey(Fill, on_delete=models.SET_NULL, null=True, related_name="batches")
    model = models.CharField(max_length=64)
    state = models.CharField(max_length=8, choices=State.choices, default=State.SENDING)
    provider_id = models.CharField(max_length=100, blank=True)
    size = models.PositiveIntegerField()
    sent_at = models.DateTimeField()
    check_at = models.DateTimeField()
    checks = models.PositiveSmallIntegerField(default=0)
    not_ours: models.JSONField[Any, Any] = models.JSONField(default=list)
    is_guessed = models.BooleanField(default=False)
    is_cancelled = models.BooleanField(default=False)

    class Meta:
        default_permissions = ()
        indexes = [
            models.Index(fields=["fill", "check_at"], name="open_batches", condition=~models.Q(state="ended")),
        ]

    def __str__(self) -> str:
        return f"batch {self.pk}"


class StandingFill(models.Model):
    """A fill that is stored with its columns and run again: by hand, for new rows, or when cells change.

    It belongs to one fill, whose results show which rows are up to date, and has its id. `condition` is a filter of the
    rows, None for all. `budget` are the tokens of one run, None for twice its estimate. `automatic_since` is when the
    fill got its `trigger`: automatic runs leave earlier rows alone. `due_at` is the time of the next automatic run, and
    `checked_version` the version of the table at the last one.
    """

    class Trigger(models.TextChoices):
        MANUAL = "manual"
        NEW_ROWS = "new_rows"
        CHANGES = "changes"

    fill = models.OneToOneField(Fill, on_delete=models.CASCADE, primary_key=True, related_name="standing")
    table = models.ForeignKey("tables.Table", on_delete=models.CASCADE, related_name="+", db_index=False)
    trigger = models.CharField(max_length=8, choices=Trigger.choices, default=Trigger.MANUAL)
    condition: models.JSONField[Any, Any] = models.JSONField(null=True)
    budget = models.PositiveBigIntegerField(null=True)
    automatic_since = models.DateTimeField()
    due_at = models.DateTimeField(null=True)
    checked_version = models.PositiveBigIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        default_permissions = ()
        # Read after each change of a table.
        indexes = [models.Index(fields=["table", "trigger"], name="standing_fills_by_table")]

    def __str__(self) -> str:
        return f"standing fill {self.pk}"


class Result(models.Model):
    """What a fill found for one row.

    A worker holds a row until `lease_until`; afterwards another one takes it. `cells` are the cells that were read, and
    those to fill, by column id, and `cells_hash` is their hash together with that of the instruction. `row_version` is
    the version of the row that had them, 0 after a change of the instruction. `values` are found values by column id,
    only those that are not empty, and `hashes` their hashes. `corrections` are values of users in place of them.
    `sources` are verified ones.
    `is_unverified`: a source was left out because the model was never given its address, or values from the web have
    none. `attempts` are failed calls of errors that may pass, `refusals` are calls that the provider had no capacity
    for. `error` is the message of a failed row. `change_id` is the change that applied the values. A row that was sent
    in a `batch` is held by it, without a lease. `is_live`: it is answered by a call of its own in each mode. Of a
    "discarded" result only what was read is left, so that the row is up to date. `may_replace`: a user has asked for
    the row again, so that found values may replace those of people.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        WORKING = "working"
        FOUND = "found"
        EMPTY = "empty"
        FAILED = "failed"
        DISCARDED = "discarded"

    # Each index is written several times for each row of a fill, so that there are as few as possible.
    fill = models.ForeignKey(Fill, on_delete=models.CASCADE, related_name="results", db_index=False)
    # Not a foreign key, because rows are in partitions, and deleted ones can be restored.
    row_id = models.BigIntegerField()
    position = models.PositiveIntegerField()
    state = models.CharField(max_length=16, choices=State.choices, default=State.WAITING)
    lease_until = models.DateTimeField(null=True)
    worker = models.UUIDField(null=True)
    batch = models.ForeignKey(Batch, on_delete=models.SET_NULL, null=True, related_name="results", db_index=False)
    is_live = models.BooleanField(default=False)
    may_replace = models.BooleanField(default=False)
    attempts = models.PositiveSmallIntegerField(default=0)
    refusals = models.PositiveSmallIntegerField(default=0)
    remark = models.CharField(max_length=500, blank=True)
    cells: models.JSONField[Any, Any] = models.JSONField(default=dict)
    cells_hash = models.CharField(max_length=64, blank=True)
    row_version = models.PositiveBigIntegerField(default=0)
    values: models.JSONField[Any, Any] = models.JSONField(default=dict)
    hashes: models.JSONField[Any, Any] = models.JSONField(default=dict)
    corrections: models.JSONField[Any, Any] = models.JSONField(default=dict)
    confidence = models.CharField(max_length=8, blank=True)
    note = models.CharField(max_length=300, blank=True)
    sources: models.JSONField[Any, Any] = models.JSONField(default=list)
    is_unverified = models.BooleanField(default=False)
    input_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    error: models.JSONField[Any, Any] = models.JSONField(null=True)
    change_id = models.BigIntegerField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["fill", "row_id"], name="one_result_per_row")]
        indexes = [
            models.Index(fields=["fill", "state", "position"], name="results_by_state"),
            models.Index(fields=["batch"], name="results_of_batches", condition=models.Q(batch__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"row {self.row_id} of fill {self.fill_id}"


class Origin(models.Model):
    """Where the values of a row come from that a change has applied.

    `hashes` are the hashes of the found values by column id. A cell has this origin while it holds a value with its
    hash, so that an edit hides it and an undo shows it again. Rows are in partitions and fills are deleted earlier, so
    that there are no foreign keys. The origins of a row are deleted with it.
    """

    pk = models.CompositePrimaryKey("table_id", "row_id", "change_id")
    table_id = models.BigIntegerField()
    row_id = models.BigIntegerField()
    change_id = models.BigIntegerField()
    fill_id = models.UUIDField()
    model = models.CharField(max_length=64)
    created_at = models.DateTimeField()
    confidence = models.CharField(max_length=8)
    note = models.CharField(max_length=300)
    sources: models.JSONField[Any, Any] = models.JSONField()
    hashes: models.JSONField[Any, Any] = models.JSONField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"origin of row {self.row_id} in change {self.change_id}"


class ModelWait(models.Model):
    """The time until which no worker calls a model: as its provider asked for, or after failures, which it grows with.

    `failures` counts waits since the last answer; calls that failed at the same time are one.
    """

    model = models.CharField(max_length=64, primary_key=True)
    until = models.DateTimeField()
    failures = models.PositiveSmallIntegerField(default=0)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.model

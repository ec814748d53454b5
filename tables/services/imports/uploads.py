"""Uploaded files: store, examine, choose how to import, start and cancel the import.

`running` reads the rows.
"""
from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from shared.user_messages import declare
from tables import signals
from tables.column_types import TableShape
from tables.column_types.people import People
from tables.exceptions import Conflict, Forbidden, Invalid, Malformed, NotFound, Outdated, TooLarge
from tables.importing.choices import INVALID_CHOICE_CODES, default_choices, read_choices, read_source
from tables.importing.file_formats.encodings import EncodingGuess
from tables.importing.file_formats.source import FOR_PROGRAMS, ReaderDefaults, Source
from tables.importing.names import clean_name
from tables.importing.sniffing import Sniffed, guess_source, sniff
from tables.importing.targets import read_targets
from tables.models import Import, ImportPiece, Table, new_column_id
from tables.operations.body_reader import Form
from tables.operations.proposals.choice import NO_TABLE_YET
from tables.selectors.imports import (
    FILE_DELETED,
    NO_IMPORT,
    RUNNING,
    get_import,
    has_files,
    is_interrupted,
    pieces_of,
    running_imports,
    stored_uploads,
)
from tables.selectors.people import people_of_new_table
from tables.selectors.tables import get_table, table_shape
from tables.services.files.archived import discard_contents
from tables.services.pipeline.locking import lock_user, refuse_outdated
from tables.services.pipeline.outdated import beside_others

Json = dict[str, Any]
SOURCE_FIELDS = ("encoding", "delimiter", "header", "sheet", "decimal")
CHOICE_FIELDS = ("table_name", "columns", "merge_on", "on_refused", "empty_cells", "empty_rows")
PIECE_SIZE = 256 * 1024
PIECES_PER_CHECK = 32
MAX_UPLOADS = 100
MAX_RUNNING = 3
# Total size of the uploads of a user, in files of the maximum size.
MAX_UPLOADS_IN_SIZES = 5
UPLOAD_LIMIT = declare(
    "upload_limit", "You have reached the upload limit. Cancel imports you do not need, or wait a day."
)
IMPORT_RUNNING = declare("import_running", "The import is running. Cancel it, or wait until it is done.")
UPLOAD_UNFINISHED = declare(
    "upload_unfinished", "The upload is not complete. Wait, or upload the file again."
)
IMPORT_DONE = declare("import_done", "This import is done. Upload the file again to repeat it.")
IMPORT_CHANGED = declare(
    "import_changed", "The import settings have changed meanwhile. Check them again."
)
TOO_MANY_IMPORTS_RUNNING = declare(
    "too_many_imports_running", "{count} of your imports are running. Wait for one to finish."
)
REFUSED_CELLS_UNDECIDED = declare(
    "refused_cells_undecided",
    "Set on_refused: “empty” leaves invalid cells empty, “skip” skips their rows.",
)
FILE_TOO_LARGE = declare("file_too_large", "The file is larger than {count} MB.")
NOT_A_TABLE_ID_OR_NULL = declare("not_a_table_id_or_null", "This must be the id of a table, or null.")


def sniff_file(
    *,
    user: Any,
    name: str,
    chunks: Callable[[], Iterable[bytes]],
    table_id: int | None = None,
    header: bool | None = None,
    defaults: ReaderDefaults = FOR_PROGRAMS,
) -> Sniffed:
    """Examine a file before it is uploaded, outside of a transaction.

    Each call of `chunks()` returns its bytes from the beginning. `header`: whether the first row has the names of the
    columns, None to detect it; `defaults` apply where the file is ambiguous. Raises the errors of `receive_file`.
    """
    table = get_table(user, table_id, can="edit") if table_id is not None else None

    def encoding() -> str:
        guess = EncodingGuess()
        for chunk in chunks():
            guess.feed(chunk)
        return guess.name

    source = guess_source(chunks, encoding=encoding, file_name=name)
    shape = table_shape(table) if table else None
    known, people = _names(shape), _people(shape, user=user)
    return sniff(chunks, source=source, header=header, known=known, people=people, defaults=defaults)


def receive_file(
    *,
    user: Any,
    name: str,
    chunks: Iterable[bytes],
    table_id: int | None = None,
    header: bool | None = None,
    found: Sniffed | None = None,
    defaults: ReaderDefaults = FOR_PROGRAMS,
) -> Import:
    """Store a file and examine it; `table_id` is the table that gets its rows, None for a new one.

    `found` is the result of `sniff_file`, if it was called; else `header` and `defaults` apply as there. The memory
    used does not depend on the size of the file. Raises NotFound, Forbidden, TooLarge, and Invalid for a file that
    cannot be read.
    """
    table = get_table(user, table_id, can="edit") if table_id is not None else None
    max_size = settings.IMPORT_MAX_MB * 1024 * 1024
    count, size = stored_uploads(user)
    if count >= MAX_UPLOADS or size >= max_size * MAX_UPLOADS_IN_SIZES:
        raise Invalid(UPLOAD_LIMIT(), code="too_many_uploads")
    imported = Import.objects.create(user=user, table=table, name=clean_name(name) or "file")
    try:
        guess = EncodingGuess()
        imported.size = _store(imported, chunks=chunks, guess=guess, max_size=max_size)
        shape = table_shape(table) if table else None
        if found is None:
            source = guess_source(lambda: pieces_of(imported), encoding=lambda: guess.name, file_name=name)
            found = _sniff(imported, source=source, header=header, table=table, defaults=defaults)
        _set_sniffed(imported, found=found, shape=shape, defaults=defaults)
        imported.state = Import.State.READY
        imported.save()
    except BaseException:
        delete_file(imported)
        Import.objects.filter(pk=imported.pk).delete()
        raise
    return imported


def change_import(
    *, user: Any, import_id: int, raw: Any, defaults: ReaderDefaults = FOR_PROGRAMS, faults: Form | None = None
) -> Import:
    """Change choices. `faults` has those of other parts of the request.

    After a change of SOURCE_FIELDS or `table` the file is examined again, with `defaults` where it is ambiguous. Raises
    Malformed and Invalid with all paths, and Conflict for an import that is running or done.
    """
    seen = get_import(user, import_id)
    _refuse_unchangeable(seen)
    form = Form() if faults is None else faults
    form.invalid_codes |= INVALID_CHOICE_CODES
    fields = form.fields(raw, path="", allowed=(*SOURCE_FIELDS, "table", *CHOICE_FIELDS))
    source, header = read_source(fields, source=Source.from_json(seen.sniffed["source"]), form=form)
    try:
        table = _requested_table(user, imported=seen, fields=fields, form=form)
    except (NotFound, Forbidden):
        _add_faults_of_choices(fields, imported=seen, table=None, form=form, table_is_known=False)
        form.refuse()
        raise
    if form.faults:
        table_is_known = all(fault.path != "table" for fault in form.faults)
        _add_faults_of_choices(fields, imported=seen, table=table, form=form, table_is_known=table_is_known)
    form.refuse()
    # Outside the transaction, because it may take long and would block writers.
    found = None
    if source is not None:
        found = _sniff(seen, source=source, header=header, table=table, defaults=defaults)
    with transaction.atomic():
        imported = _locked(user, import_id)
        _refuse_unchangeable(imported)
        if (imported.sniffed["source"], imported.table_id) != (seen.sniffed["source"], seen.table_id):
            raise Conflict(IMPORT_CHANGED(), code="changed")
        shape = table_shape(table) if table else None
        table_changed = (table.pk if table else None) != imported.table_id
        imported.table = table
        if found is not None:
            _set_sniffed(imported, found=found, shape=shape, defaults=defaults)
        elif table_changed:
            imported.choices = _first_choices(imported, shape=shape, defaults=defaults)
        if "header" in fields:
            imported.sniffed["source"]["header_reason"] = "requested"
        choices = {name: fields[name] for name in CHOICE_FIELDS if name in fields}
        imported.choices = _read_choices(choices, imported=imported, shape=shape)
        imported.state, imported.error, imported.run = Import.State.READY, None, None
        imported.counts, imported.ended_at = {}, None
        imported.save()
    # Staged for the former table.
    delete_staged(seen)
    return imported


def _sniff(
    imported: Import, *, source: Source, header: bool | None, table: Table | None, defaults: ReaderDefaults
) -> Sniffed:
    shape = table_shape(table) if table else None
    known, people = _names(shape), _people(shape, user=imported.user)
    return sniff(
        lambda: pieces_of(imported), source=source, header=header, known=known, people=people, defaults=defaults
    )


def _read_choices(raw: Json, *, imported: Import, shape: TableShape | None) -> Json:
    found, with_files = imported.sniffed["columns"], has_files(imported)
    return read_choices(raw, stored=imported.choices, found=found, shape=shape, with_files=with_files)


def _add_faults_of_choices(
    fields: Json, *, imported: Import, table: Table | None, form: Form, table_is_known: bool
) -> None:
    """Add the faults of choices, as far as they do not depend on another source or an invalid table."""
    choices = {name: value for name, value in fields.items() if name in CHOICE_FIELDS}
    try:
        read_choices(
            choices,
            stored=imported.choices,
            found=None if fields.keys() & set(SOURCE_FIELDS) else imported.sniffed["columns"],
            shape=table_shape(table) if table else None,
            table_is_known=table_is_known,
            with_files=has_files(imported),
        )
    except (Malformed, Invalid) as error:
        form.add_further(error)


def begin_import(
    *, user: Any, import_id: int, on_refused: str | None = None, table_version: int | None = None
) -> Import:
    """Queue the import for a worker, or continue it after a decision; return it with its new `run`.

    The worker writes nothing if the table has another version than `table_version` by then. Raises Invalid with
    everything that is undecided, Forbidden, Outdated, Conflict when it runs or is done already.
    """
    with transaction.atomic():
        lock_user(user)
        imported = _locked(user, import_id, can="edit")
        _refuse_unchangeable(imported)
        if running_imports(user).exclude(pk=imported.pk).count() >= MAX_RUNNING:
            raise Conflict(TOO_MANY_IMPORTS_RUNNING(count=MAX_RUNNING), code="too_many_running")
        imported.choices.pop("table_version", None)
        if table_version is not None:
            if imported.table is None:
                raise Outdated(NO_TABLE_YET())
            with beside_others(lambda: read_targets(imported.choices, shape=shape_of(imported), new_id=new_column_id)):
                refuse_outdated(imported.table.version, expected=table_version)
            imported.choices["table_version"] = table_version
        if on_refused is not None:
            imported.choices["on_refused"] = on_refused
        continues = imported.state == Import.State.WAITING
        if continues and imported.choices["on_refused"] not in ("empty", "skip"):
            raise Invalid(REFUSED_CELLS_UNDECIDED(), code="undecided")
        if not continues:
            # Times in the file are in the time zone of the user, which the worker does not know.
            imported.choices["time_zone"] = timezone.get_current_timezone_name()
            # Errors are raised here instead of in the worker.
            read_targets(imported.choices, shape=shape_of(imported), new_id=new_column_id)
            _discard_files(imported)
            imported.plan, imported.counts, imported.progress = {}, {}, 0
        imported.state = Import.State.WRITING if continues else Import.State.QUEUED
        imported.run, imported.error, imported.ended_at = uuid.uuid4(), None, None
        imported.heartbeat_at = timezone.now()
        imported.save()
    return imported


def cancel_import(*, user: Any, import_id: int) -> Import:
    """Cancel the import and delete the file. Rows of a finished import are not deleted."""
    with transaction.atomic():
        imported = Import.objects.select_for_update().filter(pk=_own_import(user, import_id).pk).first()
        if imported is None:
            raise NotFound(NO_IMPORT)
        if imported.state != Import.State.DONE:
            was_running = imported.state in (*RUNNING, Import.State.WAITING)
            imported.state, imported.run = Import.State.CANCELLED, None
            imported.ended_at = timezone.now()
            _discard_files(imported)
            imported.save()
            if was_running:
                signals.import_ended.send_robust(sender=Import, outcome="cancelled", added=0, updated=0)
    delete_staged(imported)
    delete_file(imported)
    return imported


def shape_of(imported: Import) -> TableShape | None:
    """Return the current table that gets the rows; None for a new one."""
    return table_shape(imported.table) if imported.table is not None else None


def delete_file(imported: Import) -> None:
    """Delete the uploaded file, a few pieces at a time."""
    pieces = ImportPiece.objects.filter(imported_id=imported.pk)
    while ids := list(pieces.order_by().values_list("pk", flat=True)[:40]):
        ImportPiece.objects.filter(pk__in=ids).delete()


def _discard_files(imported: Import) -> None:
    """Delete the files of an archive that an earlier run has stored, after the commit."""
    transaction.on_commit(partial(discard_contents, list(imported.plan.get("files", ()))))


def delete_staged(imported: Import, *, refused: bool = True) -> None:
    """Delete staged rows, and unless `refused` is False, the refused cells."""
    for parts in (imported.staged.all(), imported.refused.all())[: 2 if refused else 1]:
        while ids := list(parts.order_by().values_list("pk", flat=True)[:100]):
            parts.filter(pk__in=ids).delete()


def _store(imported: Import, *, chunks: Iterable[bytes], guess: EncodingGuess, max_size: int) -> int:
    size = 0
    for index, piece in enumerate(_pieces(chunks)):
        if index and index % PIECES_PER_CHECK == 0:
            # Concurrent uploads include each other's current sizes, so the limit is exceeded by one file at most.
            Import.objects.filter(pk=imported.pk).update(size=size)
            if stored_uploads(imported.user)[1] > max_size * (MAX_UPLOADS_IN_SIZES + 1):
                raise Invalid(UPLOAD_LIMIT(), code="too_many_uploads")
        size += len(piece)
        if size > max_size:
            raise TooLarge(FILE_TOO_LARGE(count=max_size // 1024 // 1024))
        guess.feed(piece)
        ImportPiece.objects.create(imported=imported, index=index, content=piece)
    return size


def _pieces(chunks: Iterable[bytes]) -> Iterator[bytes]:
    buffer = b""
    for chunk in chunks:
        buffer += chunk
        while len(buffer) >= PIECE_SIZE:
            yield buffer[:PIECE_SIZE]
            buffer = buffer[PIECE_SIZE:]
    if buffer:
        yield buffer


def _names(shape: TableShape | None) -> list[str]:
    return [column.name for column in shape.columns] if shape else []


def _people(shape: TableShape | None, *, user: Any) -> People:
    return shape.people if shape else people_of_new_table(user)


def _set_sniffed(imported: Import, *, found: Sniffed, shape: TableShape | None, defaults: ReaderDefaults) -> None:
    imported.sniffed = {**found.as_json(), "unnamed": defaults.unnamed_column}
    imported.choices = _first_choices(imported, shape=shape, defaults=defaults)


def _first_choices(imported: Import, *, shape: TableShape | None, defaults: ReaderDefaults) -> Json:
    columns, unnamed = imported.sniffed["columns"], defaults.unnamed_table
    return default_choices(
        columns, shape=shape, file_name=imported.name, unnamed=unnamed, with_files=has_files(imported)
    )


def _own_import(user: Any, import_id: int) -> Import:
    """Return the user's import, even if the table is no longer accessible: it can always be cancelled."""
    known = bool(user and user.is_authenticated and user.is_active) and 0 < import_id < 2**63
    found = Import.objects.filter(user_id=user.pk, pk=import_id).first() if known else None
    if found is None:
        raise NotFound(NO_IMPORT)
    return found


def _locked(user: Any, import_id: int, *, can: Any = "view") -> Import:
    found = get_import(user, import_id, can=can)
    locked = Import.objects.select_for_update().filter(pk=found.pk).first()
    if locked is None:
        raise NotFound(NO_IMPORT)
    return locked


def _refuse_unchangeable(imported: Import) -> None:
    if imported.state == Import.State.DONE:
        raise Conflict(IMPORT_DONE(), code="already_done")
    if imported.state in RUNNING and not is_interrupted(imported):
        raise Conflict(IMPORT_RUNNING(), code="running")
    if imported.state == Import.State.UPLOADING:
        raise Conflict(UPLOAD_UNFINISHED(), code="uploading")
    if not imported.pieces.filter(index=0).exists():
        raise Conflict(FILE_DELETED, code="file_gone")


def _requested_table(user: Any, *, imported: Import, fields: Json, form: Form) -> Table | None:
    if "table" not in fields:
        return get_table(user, imported.table_id, can="edit") if imported.table_id is not None else None
    requested = fields["table"]
    if requested is None:
        return None
    if type(requested) is not int:
        form.fault(path="table", code="not_whole", message=NOT_A_TABLE_ID_OR_NULL(), value=requested)
        return None
    return get_table(user, requested, can="edit")


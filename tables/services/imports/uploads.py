"""Files that somebody wants rows of: taken in, decided about, begun and given up. Rows come in `import_running`."""
from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from shared.user_messages import declare
from tables import signals
from tables.column_types import TableShape
from tables.exceptions import Conflict, Invalid, NotFound, TooLarge
from tables.importing.choices import INVALID_CHOICE_CODES, default_choices, read_choices, read_source
from tables.importing.encodings import EncodingGuess
from tables.importing.names import clean_name
from tables.importing.sniffing import Sniffed, guess_source, sniff
from tables.importing.source import FOR_PROGRAMS, ReaderDefaults, Source
from tables.importing.targets import read_targets
from tables.models import Import, ImportPiece, Table, new_column_id
from tables.operations.body_reader import INVALID_CODES, Form
from tables.selectors.imports import (
    FILE_GONE,
    NO_IMPORT,
    RUNNING,
    get_import,
    kept_uploads,
    pieces_of,
    running_imports,
    seems_lost,
)
from tables.selectors.tables import get_table, table_shape
from tables.services.pipeline.locking import lock_person

Json = dict[str, Any]
PIECE = 256 * 1024
LOOK_PIECES = 32
MOST_KEPT = 100
MOST_RUNNING = 3
# Of one person, in files of the largest size that is taken.
MOST_KEPT_SIZES = 5
UPLOAD_LIMIT = declare(
    "upload_limit", "Your uploads have reached their limit. Cancel imports that you do not need, or wait a day."
)
IMPORT_RUNNING = declare("import_running", "The import runs; cancel it first, or wait for its end.")
UPLOAD_UNFINISHED = declare(
    "upload_unfinished", "The file is not here yet, or its upload was interrupted. Then upload it again."
)
IMPORT_DONE = declare("import_done", "This import is done. Upload the file again to import it once more.")
IMPORT_CHANGED = declare(
    "import_changed", "The choices for this file were changed meanwhile. Check them again."
)
TOO_MANY_IMPORTS_RUNNING = declare(
    "too_many_imports_running", "{count} imports of yours are running. Wait for one of them to end."
)
REFUSED_CELLS_UNDECIDED = declare(
    "refused_cells_undecided",
    "Say with on_refused what to do: “empty” leaves refused cells empty, “skip” leaves out their rows.",
)
FILE_TOO_LARGE = declare("file_too_large", "The file is larger than {count} MB.")
NOT_A_TABLE_ID_OR_NULL = declare("not_a_table_id_or_null", "This must be the id of a table, or null.")


def look_into(
    *,
    user: Any,
    name: str,
    chunks: Callable[[], Iterable[bytes]],
    table_id: int | None = None,
    defaults: ReaderDefaults = FOR_PROGRAMS,
) -> Sniffed:
    """What is in a file before it is taken in, for whoever must not look while a transaction waits for it.

    `chunks()` gives its bytes from the beginning, each time; `defaults` are taken where it does not say something.
    Raises what `receive_file` raises.
    """
    table = get_table(user, table_id, can="edit") if table_id is not None else None

    def encoding() -> str:
        guess = EncodingGuess()
        for chunk in chunks():
            guess.feed(chunk)
        return guess.name

    source = guess_source(chunks, encoding=encoding, file_name=name)
    return sniff(chunks, source=source, known=_names(table_shape(table) if table else None), defaults=defaults)


def receive_file(
    *,
    user: Any,
    name: str,
    chunks: Iterable[bytes],
    table_id: int | None = None,
    found: Sniffed | None = None,
    defaults: ReaderDefaults = FOR_PROGRAMS,
) -> Import:
    """Takes in a file and says what is in it; `table_id` is the table that is to get its rows, None for a new one.

    `found` is what `look_into` said of it, if it was looked into already; `defaults` are taken where the file does not
    say something. Memory does not grow with the file. Raises NotFound, Forbidden, TooLarge, and Invalid for what cannot
    be read.
    """
    table = get_table(user, table_id, can="edit") if table_id is not None else None
    most = settings.IMPORT_MAX_MB * 1024 * 1024
    count, size = kept_uploads(user)
    if count >= MOST_KEPT or size >= most * MOST_KEPT_SIZES:
        raise Invalid(UPLOAD_LIMIT(), code="too_many_uploads")
    imported = Import.objects.create(user=user, table=table, name=clean_name(name) or "file")
    try:
        guess = EncodingGuess()
        imported.size = _keep(imported, chunks=chunks, guess=guess, most=most)
        shape = table_shape(table) if table else None
        if found is None:
            source = guess_source(lambda: pieces_of(imported), encoding=lambda: guess.name, file_name=name)
            known = _names(shape)
            found = sniff(lambda: pieces_of(imported), source=source, known=known, defaults=defaults)
        _take_in(imported, found=found, shape=shape, defaults=defaults)
        imported.state = Import.State.READY
        imported.save()
    except BaseException:
        drop_pieces(imported)
        Import.objects.filter(pk=imported.pk).delete()
        raise
    return imported


def change_import(*, user: Any, import_id: int, raw: Any, defaults: ReaderDefaults = FOR_PROGRAMS) -> Import:
    """Decides something: READING and `table` have the file looked into anew, with `defaults` where it says nothing.

    Raises Malformed and Invalid with all paths, Conflict while it runs or when it is done.
    """
    seen = get_import(user, import_id)
    _refuse_undecidable(seen)
    form = Form(invalid_codes=INVALID_CODES | INVALID_CHOICE_CODES)
    fields = form.fields(raw, path="", allowed=(*READING, "table", *DECIDING))
    source, header = read_source(fields, source=Source.from_json(seen.sniffed["source"]), form=form)
    table = _wanted_table(user, imported=seen, fields=fields, form=form)
    form.refuse()
    # Outside the transaction: it may take long, and whoever writes meanwhile does not wait for it.
    found = None
    if source is not None:
        found = sniff(lambda: pieces_of(seen), source=source, header=header, defaults=defaults)
    with transaction.atomic():
        imported = _locked(user, import_id)
        _refuse_undecidable(imported)
        if (imported.sniffed["source"], imported.table_id) != (seen.sniffed["source"], seen.table_id):
            raise Conflict(IMPORT_CHANGED(), code="changed")
        shape = table_shape(table) if table else None
        moved = (table.pk if table else None) != imported.table_id
        imported.table = table
        if found is not None:
            _take_in(imported, found=found, shape=shape, defaults=defaults)
        elif moved:
            imported.choices = _first_choices(imported, shape=shape, defaults=defaults)
        deciding = {name: value for name, value in fields.items() if name in DECIDING}
        imported.choices = read_choices(
            deciding, stored=imported.choices, found=imported.sniffed["columns"], shape=shape
        )
        imported.state, imported.error, imported.run = Import.State.READY, None, None
        imported.counts, imported.ended_at = {}, None
        imported.save()
    drop_staged(imported)
    return imported


def begin_import(*, user: Any, import_id: int, on_refused: str | None = None) -> Import:
    """Has it wait for a worker, or go on if it waited for a decision; the import with its new `run`.

    Raises Invalid with everything that is not decided, Forbidden, Conflict when it runs or is done already.
    """
    with transaction.atomic():
        lock_person(user)
        imported = _locked(user, import_id, can="edit")
        _refuse_undecidable(imported)
        if running_imports(user).exclude(pk=imported.pk).count() >= MOST_RUNNING:
            raise Conflict(TOO_MANY_IMPORTS_RUNNING(count=MOST_RUNNING), code="too_many_running")
        if on_refused is not None:
            imported.choices["on_refused"] = on_refused
        goes_on = imported.state == Import.State.WAITING
        if goes_on and imported.choices["on_refused"] not in ("empty", "skip"):
            raise Invalid(REFUSED_CELLS_UNDECIDED(), code="undecided")
        if not goes_on:
            # Whatever stands in the way is told now, and not by the worker.
            read_targets(imported.choices, shape=shape_of(imported), new_id=new_column_id)
            imported.plan, imported.counts, imported.progress = {}, {}, 0
        imported.state = Import.State.WRITING if goes_on else Import.State.QUEUED
        imported.run, imported.error, imported.ended_at = uuid.uuid4(), None, None
        imported.beat_at = timezone.now()
        imported.save()
    return imported


def cancel_import(*, user: Any, import_id: int) -> Import:
    """Ends it wherever it is, and lets go of the file. What a done one has written stays."""
    with transaction.atomic():
        imported = Import.objects.select_for_update().filter(pk=_own(user, import_id).pk).first()
        if imported is None:
            raise NotFound(NO_IMPORT)
        if imported.state != Import.State.DONE:
            under_way = imported.state in (*RUNNING, Import.State.WAITING)
            imported.state, imported.run = Import.State.CANCELLED, None
            imported.ended_at = timezone.now()
            imported.save()
            if under_way:
                signals.import_ended.send_robust(sender=Import, outcome="cancelled", added=0, updated=0)
    drop_staged(imported)
    drop_pieces(imported)
    return imported


def shape_of(imported: Import) -> TableShape | None:
    """The table that gets the rows, as it is; None for a new one."""
    return table_shape(imported.table) if imported.table is not None else None


def drop_pieces(imported: Import) -> None:
    """Lets go of the uploaded file, a part at a time."""
    pieces = ImportPiece.objects.filter(imported_id=imported.pk)
    while ids := list(pieces.order_by().values_list("pk", flat=True)[:40]):
        ImportPiece.objects.filter(pk__in=ids).delete()


def drop_staged(imported: Import, *, refused: bool = True) -> None:
    """Lets go of what has been read of the file; without `refused` what could not be read can still be looked at."""
    for parts in (imported.staged.all(), imported.refused.all())[: 2 if refused else 1]:
        while ids := list(parts.order_by().values_list("pk", flat=True)[:100]):
            parts.model.objects.filter(pk__in=ids).delete()


def _keep(imported: Import, *, chunks: Iterable[bytes], guess: EncodingGuess, most: int) -> int:
    size = 0
    for index, piece in enumerate(_pieces(chunks)):
        if index and index % LOOK_PIECES == 0:
            # Of many that come at once each is seen by the others while it grows: one more is kept, and not all.
            Import.objects.filter(pk=imported.pk).update(size=size)
            if kept_uploads(imported.user)[1] > most * (MOST_KEPT_SIZES + 1):
                raise Invalid(UPLOAD_LIMIT(), code="too_many_uploads")
        size += len(piece)
        if size > most:
            raise TooLarge(FILE_TOO_LARGE(count=most // 1024 // 1024))
        guess.feed(piece)
        ImportPiece.objects.create(imported=imported, index=index, content=piece)
    return size


def _pieces(chunks: Iterable[bytes]) -> Iterator[bytes]:
    held = b""
    for chunk in chunks:
        held += chunk
        while len(held) >= PIECE:
            yield held[:PIECE]
            held = held[PIECE:]
    if held:
        yield held


def _names(shape: TableShape | None) -> list[str]:
    return [column.name for column in shape.columns] if shape else []


def _take_in(imported: Import, *, found: Sniffed, shape: TableShape | None, defaults: ReaderDefaults) -> None:
    imported.sniffed = {**found.as_json(), "unnamed": defaults.unnamed_column}
    imported.choices = _first_choices(imported, shape=shape, defaults=defaults)


def _first_choices(imported: Import, *, shape: TableShape | None, defaults: ReaderDefaults) -> Json:
    columns, unnamed = imported.sniffed["columns"], defaults.unnamed_table
    return default_choices(columns, shape=shape, file_name=imported.name, unnamed=unnamed)


def _own(user: Any, import_id: int) -> Import:
    """The person's import, whatever has become of the table: it can always be given up."""
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


def _refuse_undecidable(imported: Import) -> None:
    if imported.state == Import.State.DONE:
        raise Conflict(IMPORT_DONE(), code="already_done")
    if imported.state in RUNNING and not seems_lost(imported):
        raise Conflict(IMPORT_RUNNING(), code="running")
    if imported.state == Import.State.UPLOADING:
        raise Conflict(UPLOAD_UNFINISHED(), code="uploading")
    if not imported.pieces.filter(index=0).exists():
        raise Conflict(FILE_GONE, code="file_gone")


def _wanted_table(user: Any, *, imported: Import, fields: Json, form: Form) -> Table | None:
    if "table" not in fields:
        return get_table(user, imported.table_id, can="edit") if imported.table_id is not None else None
    wanted = fields["table"]
    if wanted is None:
        return None
    if type(wanted) is not int:
        form.fault(path="table", code="not_a_table", message=NOT_A_TABLE_ID_OR_NULL(), value=wanted)
        return None
    return get_table(user, wanted, can="edit")


READING = ("encoding", "delimiter", "header", "sheet", "decimal")
DECIDING = ("table_name", "columns", "merge_on", "on_refused", "empty_cells", "empty_rows")

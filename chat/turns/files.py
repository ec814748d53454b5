"""Files of messages: checked when a message is sent, and read for each turn with the rights that the user has then."""
from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from chat.exceptions import Malformed
from chat.file_tokens import estimate_file_tokens
from chat.files import (
    LEFT_OUT,
    MAX_IMAGE_BYTES,
    MAX_PDF_BYTES,
    MAX_REQUEST_BYTES,
    NOT_AVAILABLE,
    ChatFile,
    content_blocks,
    note_blocks,
    reference,
    references_in,
    tokens_of,
    tokens_of_files,
)
from chat.prompt import turns_left_out
from chat.turns.page import Page
from chat.turns.request import read_together
from shared.user_messages import declare

Json = dict[str, Any]
NO_FILES_HERE = declare("no_files_here", "Messages on this page cannot have files.")
NO_SUCH_FILE = declare("no_such_message_file", "This file was deleted, or you do not have access to it.")
UNREADABLE_FILE = declare("unreadable_file", "The assistant reads pictures and PDF documents. “{name}” is neither.")
FILE_TOO_LARGE = declare(
    "message_file_too_large", "“{name}” is too large for the assistant: pictures up to {images} MB, PDF up to {pdf} MB."
)
FILES_TOO_LARGE = declare("message_files_too_large", "Together, the files of a message can have at most {count} MB.")
FILES_TOO_LONG = declare(
    "message_files_too_long",
    "Together, the files have about {tokens:,} tokens, and the assistant can read {most:,}. Send fewer files, or "
    "documents with fewer pages.",
)
MB = 1024 * 1024
# Parts of the budget in which the room for earlier files changes, so that the same ones are sent for many turns.
BUDGET_PARTS = 10


def file_references(page: Page, ids: Sequence[str]) -> tuple[Json, ...]:
    """Return references to the files of a new message. Raises Malformed with the faults of all."""
    if not ids:
        return ()
    source = page.entries.config.files
    if source is None:
        raise Malformed(NO_FILES_HERE(), code="no_files_here", path="files")
    found = {file.id: file for file in source.find(page.context, ids)}
    checks = (partial(_checked, found.get(key), path=f"files[{at}]") for at, key in enumerate(ids))
    files = read_together(*checks)
    if sum(file.size for file in files) > MAX_REQUEST_BYTES:
        raise Malformed(FILES_TOO_LARGE(count=MAX_REQUEST_BYTES // MB), code="files_too_large", path="files")
    references = read_together(
        *(partial(_measured, page, file, path=f"files[{at}]") for at, file in enumerate(files))
    )
    tokens, most = tokens_of_files(references), page.catalogue.engine.request_tokens
    if tokens > most:
        raise Malformed(FILES_TOO_LONG(tokens=tokens, most=most), code="files_too_long", path="files")
    return tuple(references)


def file_contents(
    page: Page, history: Sequence[Json], *, new: Sequence[Json], free_tokens: int
) -> dict[str, list[Json]]:
    """Return the blocks of all files in the earlier messages and of the references of the new message by id.

    Earlier files that exceed `free_tokens` or the size of requests are left out, oldest first.
    """
    earlier = list(references_in(history))
    step = page.catalogue.engine.history_tokens // BUDGET_PARTS
    room = max(free_tokens, 0) // step * step
    skipped = turns_left_out([tokens_of(block) for block in earlier], budget_tokens=room)
    # A file that was added again counts as the later one.
    blocks = {block["id"]: block for block in reversed([*earlier, *new])}
    sent = {block["id"] for block in [*earlier[skipped:], *new]}
    left, contents = MAX_REQUEST_BYTES, {}
    for key, block in blocks.items():
        if key not in sent or block["size"] > left:
            contents[key] = note_blocks(block, note=LEFT_OUT)
            continue
        content = _content(page, key)
        if content is None:
            contents[key] = note_blocks(block, note=NOT_AVAILABLE)
        else:
            left -= len(content)
            contents[key] = content_blocks(block, content=content)
    return contents


def _measured(page: Page, file: ChatFile, *, path: str) -> Json:
    """Return the reference to a file with its estimated tokens. Raises Malformed if it was deleted meanwhile."""
    content = _content(page, file.id)
    if content is None:
        raise Malformed(NO_SUCH_FILE(), code="unknown_file", path=path)
    return reference(file, tokens=estimate_file_tokens(content, media_type=file.media_type))


def _content(page: Page, key: str) -> bytes | None:
    source = page.entries.config.files
    return source.read(page.context, key) if source is not None else None


def _checked(file: ChatFile | None, *, path: str) -> ChatFile:
    if file is None:
        raise Malformed(NO_SUCH_FILE(), code="unknown_file", path=path)
    if not file.max_size:
        raise Malformed(UNREADABLE_FILE(name=file.name), code="unreadable_file", path=path)
    if file.size > file.max_size:
        message = FILE_TOO_LARGE(name=file.name, images=MAX_IMAGE_BYTES / MB, pdf=MAX_PDF_BYTES // MB)
        raise Malformed(message, code="file_too_large", path=path)
    return file

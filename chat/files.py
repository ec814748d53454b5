"""Files that users add to messages: where pages find them, and their form in requests to models.

Messages store references, which name a file: `{"type": "file_reference", "id", "name", "media_type", "size",
"tokens"}`. `tokens` are estimated. Contents are read when a model is called, with the rights that the user has then.
"""
from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shared import strictjson

Json = dict[str, Any]
REFERENCE = "file_reference"
IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")
PDF_TYPE = "application/pdf"
MAX_FILES = 10
MAX_ID_LENGTH = 64
# The API accepts images of up to 5 MiB and requests of up to 32 MB, both in base64, which is a third longer.
MAX_IMAGE_BYTES = 5 * 1024 * 1024 * 3 // 4
MAX_PDF_BYTES = 20 * 1024 * 1024
# Of all files in a request. The latest ones are sent.
MAX_REQUEST_BYTES = 20 * 1024 * 1024
ADDED_FILE = "A file that the user has added: "
NOT_AVAILABLE = "It has been deleted, or the user cannot read it any more."
SENT_LATER = "Its content is in a later message."
LEFT_OUT = "Its content is left out here, because it takes up too much space by now. The user can add it again."


@dataclass(frozen=True)
class ChatFile:
    """A file of a page. `size` is in bytes."""

    id: str
    name: str
    media_type: str
    size: int

    @property
    def max_size(self) -> int:
        """The maximum size in bytes of files of this type, 0 for types that models do not read."""
        return MAX_IMAGE_BYTES if self.media_type in IMAGE_TYPES else MAX_PDF_BYTES * (self.media_type == PDF_TYPE)

    def as_json(self) -> Json:
        """Return the file for clients."""
        return {"id": self.id, "name": self.name, "media_type": self.media_type, "size": self.size}


@dataclass(frozen=True)
class FileSource:
    """The files of a page. Both functions are sync, may read the database, and check the rights of the user.

    `context` is the PageContext.

    `find(context, ids)` returns those of the files that the user may read now. `read(context, id)` returns the content
    of one, None without access.
    """

    find: Callable[[Any, Sequence[str]], list[ChatFile]]
    read: Callable[[Any, str], bytes | None]


def file_limits() -> Json:
    """Return the limits of files for clients: `types`, the maximum size in bytes by media type; `files`, of a message;
    `bytes`, of these together."""
    types = {**dict.fromkeys(IMAGE_TYPES, MAX_IMAGE_BYTES), PDF_TYPE: MAX_PDF_BYTES}
    return {"types": types, "files": MAX_FILES, "bytes": MAX_REQUEST_BYTES}


def reference(file: ChatFile, *, tokens: int) -> Json:
    """Return the block by which a message refers to a file with this many tokens."""
    return {"type": REFERENCE, **file.as_json(), "tokens": tokens}


def file_of(block: Json) -> Json:
    """Return the file of a reference for clients."""
    return {name: block[name] for name in ("id", "name", "media_type", "size")}


def tokens_of(block: Json) -> int:
    """Return the estimated tokens of the file of a reference; 0 of one that was stored before they were counted."""
    return int(block.get("tokens", 0))


def tokens_of_files(references: Iterable[Json]) -> int:
    """Return the estimated tokens of the files of references."""
    return sum(tokens_of(block) for block in references)


def references_in(messages: Sequence[Json]) -> Iterator[Json]:
    """Yield the references in API messages, in order."""
    for message in messages:
        content = message["content"]
        yield from (block for block in content if isinstance(block, dict) and block.get("type") == REFERENCE)


def content_blocks(block: Json, *, content: bytes) -> list[Json]:
    """Return the blocks of the API for a reference and the content of its file."""
    source = {
        "type": "base64", "media_type": block["media_type"], "data": base64.standard_b64encode(content).decode(),
    }  # fmt: skip
    kind = "document" if block["media_type"] == PDF_TYPE else "image"
    return [_described(block), {"type": kind, "source": source}]


def note_blocks(block: Json, *, note: str) -> list[Json]:
    """Return the blocks for a file whose content is not sent, with the reason."""
    return [_described(block, note=f" {note}")]


def with_contents(messages: Sequence[Json], *, contents: Mapping[str, Sequence[Json]]) -> list[Json]:
    """Return API messages with `contents`, blocks by the id of the file, in place of references.

    Files that several messages have are only sent with the last one.
    """
    last = {block["id"]: block for block in references_in(messages)}

    def blocks_for(block: Json) -> Sequence[Json]:
        if block.get("type") != REFERENCE:
            return [block]
        if block is not last[block["id"]]:
            return note_blocks(block, note=SENT_LATER)
        return contents.get(block["id"]) or note_blocks(block, note=NOT_AVAILABLE)

    return [
        {**message, "content": [each for block in message["content"] for each in blocks_for(block)]}
        if any(references_in([message]))
        else message
        for message in messages
    ]


def _described(block: Json, *, note: str = "") -> Json:
    # JSON, because names are texts of users.
    about = strictjson.dumps({name: block[name] for name in ("name", "media_type", "size")})
    return {"type": "text", "text": f"{ADDED_FILE}{about}{note}"}

"""The files in cells of a table, which users can add to messages."""
from __future__ import annotations

from collections.abc import Sequence

from chat.files import ChatFile, FileSource
from chat.page_config import PageContext
from tables.exceptions import TablesError
from tables.selectors import get_files
from tables.services import read_file


def find_files(context: PageContext, ids: Sequence[str]) -> list[ChatFile]:
    """Return those of the files that belong to the table."""
    found = get_files(context.user, table_id=int(context.object_id), file_ids=ids)
    return [ChatFile(each.content_id, each.name, each.content.type, each.content.size) for each in found]


def read_content(context: PageContext, file_id: str) -> bytes | None:
    """Return the content of a file of the table, None if it was deleted or the user cannot read the table."""
    try:
        return read_file(user=context.user, table_id=int(context.object_id), file_id=file_id)
    except TablesError:
        return None


TABLE_FILES = FileSource(find=find_files, read=read_content)

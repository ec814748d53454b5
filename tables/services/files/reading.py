"""Contents of files in memory, with the rights of the table."""
from __future__ import annotations

from typing import Any

from tables.selectors.files import get_file
from tables.services.files.storage import content_path, open_stored


def read_file(*, user: Any, table_id: int, file_id: str) -> bytes:
    """Return the content of a file of a table. Raises NotFound."""
    file = get_file(user, table_id=table_id, file_id=file_id)
    with open_stored(content_path(file.content_id)) as content:
        return content.read()

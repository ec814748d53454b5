"""Files of cells in the form of a row: present ones, those to remove, and uploads."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest
from django.urls import reverse

from shared import strictjson
from tables import selectors, tasks
from tables.column_types import ColumnSpec
from tables.exceptions import Fault, Invalid, TooLarge

Json = dict[str, Any]


@dataclass(frozen=True)
class ListedFile:
    """A file in the form. `url` shows it, or downloads it if browsers do not show its type."""

    id: str
    name: str
    url: str


class SentFiles:
    """The files of a submitted form, by column.

    Uploads are stored at once. If the form cannot be saved, it lists them, so that they need not be chosen again.
    """

    def __init__(self, request: HttpRequest, *, table_id: int, columns: Sequence[ColumnSpec], current: Json) -> None:
        """Store the uploads. Those that are refused are in `faults`."""
        self._request, self._table_id = request, table_id
        self.faults: list[Fault] = []
        self._known = self._read(columns, current=current)
        self._uploaded = {column.id: self._upload(column) for column in columns}

    def value(self, column: ColumnSpec) -> list[Json]:
        """Return the files of a cell: those the form has, without the removed ones, and the new ones."""
        removed = set(self._request.POST.getlist(f"remove-{column.id}"))
        listed = (self._known.get(key) for key in self._request.POST.getlist(f"file-{column.id}") if key not in removed)
        return [*filter(None, listed), *self._uploaded[column.id]]

    def refuse(self) -> None:
        """Raise Invalid for the uploads that were refused."""
        if self.faults:
            raise Invalid(self.faults[0].message, faults=self.faults)

    def _read(self, columns: Sequence[ColumnSpec], *, current: Json) -> dict[str, Json]:
        """Return the files that the form lists, by id; those that the cells do not have are read."""
        known = {file["id"]: file for column in columns for file in files_of(current.get(column.id))}
        sent = {key for column in columns for key in self._request.POST.getlist(f"file-{column.id}")[:100]}
        if others := sorted(sent - known.keys())[:100]:
            found = selectors.get_files(self._request.user, table_id=self._table_id, file_ids=others)
            known |= {file.content_id: _as_json(file) for file in found}
        return known

    def _upload(self, column: ColumnSpec) -> list[Json]:
        uploaded = []
        for sent in self._request.FILES.getlist(f"upload-{column.id}"):
            try:
                uploaded.append(_as_json(self._stored(sent)))
            except (Invalid, TooLarge) as error:
                self.faults.append(Fault(f"data.{column.id}", error.code, message=error.message))
        return uploaded

    def _stored(self, sent: UploadedFile) -> selectors.TableFile:
        user, name = self._request.user, sent.name or ""
        return tasks.upload_file(user=user, table_id=self._table_id, name=name, content=sent)


def files_of(value: Any) -> list[Json]:
    """Return the files of a stored value."""
    listed = value if isinstance(value, list) else []
    return [dict(file) for file in listed if isinstance(file, Mapping) and "id" in file]


def files_of_text(text: str) -> list[Json]:
    """Return the files in the text that stands for a value in the form."""
    try:
        return files_of(strictjson.loads(text)) if text else []
    except strictjson.StrictJsonError:
        return []


def listed_files(text: str, *, table_id: int) -> tuple[ListedFile, ...]:
    """Return the files of a cell for the form."""
    return tuple(
        ListedFile(file["id"], file["name"], reverse("api_file", args=(table_id, file["id"])) + "?inline=true")
        for file in files_of_text(text)
    )


def _as_json(file: selectors.TableFile) -> Json:
    return {"id": file.content_id, "name": file.name, "size": file.content.size, "type": file.content.type}

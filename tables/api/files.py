"""REST API of files: upload to a table, and download with the rights of the table."""
from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.urls import reverse
from django.utils.http import content_disposition_header
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from shared.rest.openapi import BOOLEAN, TEXT, header, query, ref
from shared.user_messages import declare
from shared.user_messages.request_messages import UNKNOWN_FIELD
from shared.websockets.clock import SYSTEM_CLOCK, Clock
from shared.websockets.credentials import credential_of, is_valid
from shared.websockets.file_stream import FileStream
from tables import selectors, tasks
from tables.api.byte_ranges import requested_part
from tables.api.imports.views import ONE_FILE
from tables.api.parameters import Parameters
from tables.api.table_view import TableView
from tables.exceptions import Malformed, NotFound, TablesError
from tables.operations.body_reader import Form
from tables.services.files.media_types import INLINE, PDF, UNKNOWN, served_type
from tables.services.files.storage import content_path, open_stored, thumbnail_path

Json = dict[str, Any]
MAX_IDS = 100
NOT_FILE_IDS = declare("not_file_ids", "This must be the ids of at most {most} files, separated by commas.")
NO_THUMBNAIL = declare("no_thumbnail", "This file has no thumbnail (yet).")
RANGE = [
    header("Range", TEXT, "One range of bytes, such as bytes=0-1023; other forms are answered by the whole file."),
    header("If-Range", TEXT, "The ETag of an earlier answer: with another one, the whole file is sent."),
]
SINGLE_FILE = [query("inline", {**BOOLEAN, "default": False}, "Show the file in the browser, if its type is safe.")]
FILE_IDS = [
    query(
        "ids",
        {**TEXT, "maxLength": 4_000, "pattern": "^[A-Za-z0-9_-]{1,32}(,[A-Za-z0-9_-]{1,32}){0,99}$|^$"},
        f"The ids of at most {MAX_IDS} files, separated by commas.",
    )
]
SAFE_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'self'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "private, no-cache",
}
# The PDF viewers of Chromium and Firefox run apart from the page. They work with a sandbox in this header, but not
# with one in the attribute of a frame.
PDF_HEADERS = {
    "Content-Security-Policy": (
        "sandbox; default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'"
    ),
    "X-Frame-Options": "SAMEORIGIN",
}
ERROR_OF_RANGE = OpenApiResponse(
    ref("Error"), description="The file has none of the bytes in “Range” (not_in_range)."
)
MEDIA_TYPES = (UNKNOWN, *sorted(INLINE))
FILE_FORM: Json = {
    "type": "object",
    "properties": {"file": {"type": "string", "format": "binary", "description": "The file."}},
    "required": ["file"],
}


class FileSerializer(serializers.Serializer[Any]):
    """An uploaded file."""

    id = serializers.CharField(help_text="The id of the file, which is written to cells.")
    name = serializers.CharField(help_text="Its name, without path and invisible characters.")
    size = serializers.IntegerField(help_text="Its size in bytes.")
    type = serializers.CharField(help_text="Its media type, detected from the content.")
    url = serializers.CharField(help_text="The path of the content.")
    thumbnail_url = serializers.CharField(
        allow_null=True, help_text="The path of the thumbnail of a picture; null if there is none (yet)."
    )


class FileListSerializer(serializers.Serializer[Any]):
    """Files of a table."""

    files = FileSerializer(many=True, help_text="Those of the files that belong to the table, in any order.")


class Files(TableView):
    """/api/tables/{id}/files/"""

    parser_classes = (MultiPartParser, *APIView.parser_classes)

    @extend_schema(parameters=FILE_IDS, responses={200: FileListSerializer})
    def get(self, request: Request, table_id: int) -> Response:
        """Get files of a table by their ids, such as to find out which have thumbnails."""
        ids = Parameters(request, FILE_IDS).text("ids").split(",")
        if len(ids) > MAX_IDS:
            raise Malformed.at("ids", NOT_FILE_IDS(most=MAX_IDS), code="not_ids")
        files = selectors.get_files(request.user, table_id=table_id, file_ids=ids)
        return Response({"files": [file_json(file) for file in files]})

    @extend_schema(request={"multipart/form-data": FILE_FORM}, responses={201: FileSerializer})
    def post(self, request: Request, table_id: int) -> Response:
        """Upload a file to a table (a form with `file`). Write `[{"id": …}]` to a cell to attach it.

        A file that is not attached within 30 days is deleted.
        """
        selectors.get_table(request.user, table_id, can="edit")
        Parameters(request)
        form = Form()
        for name in request.data if isinstance(request.data, dict) else ():
            if name != "file":
                form.fault(path=name, code="unknown_field", message=UNKNOWN_FIELD(field=name[:100]))
        sent = request.FILES.getlist("file")
        if len(sent) != 1:
            form.invalid_codes.discard("too_many")
            form.fault(path="file", code="missing" if not sent else "too_many", message=ONE_FILE())
        form.refuse()
        file = tasks.upload_file(user=request.user, table_id=table_id, name=sent[0].name or "", content=sent[0])
        return Response(file_json(file), status=201)


class OneFile(TableView):
    """/api/tables/{id}/files/{file}/"""

    @extend_schema(
        parameters=[*SINGLE_FILE, *RANGE],
        responses={
            **{(status, each): {**TEXT, "format": "binary"} for status in (200, 206) for each in MEDIA_TYPES},
            416: ERROR_OF_RANGE,
        },
    )
    def get(self, request: Request, table_id: int, file_id: str) -> HttpResponseBase:
        """Download a file of a table.

        With `inline=true` browsers show pictures (PNG, JPEG, GIF, WebP), PDF documents and plain text in a sandbox; all
        other files are saved. With the header `Range` the answer is a part of the file (206).
        """
        parameters = Parameters(request, SINGLE_FILE)
        file = selectors.get_file(request.user, table_id=table_id, file_id=file_id)
        is_shown = parameters.flag("inline") and file.content.type in INLINE
        size, etag = file.content.size, f'"{file.content_id}"'
        part = requested_part(request.headers, size=size, etag=etag)
        headers = {
            "Content-Disposition": content_disposition_header(not is_shown, file.name) or "inline",
            "Content-Length": str(size if part is None else len(part)),
            "Accept-Ranges": "bytes",
            # Contents never change.
            "ETag": etag,
            **(PDF_HEADERS if is_shown and file.content.type == PDF else {}),
            **({} if part is None else {"Content-Range": f"bytes {part.start}-{part.stop - 1}/{size}"}),
        }
        content_type = served_type(file.content.type)
        if request.method == "HEAD":
            status = 200 if part is None else 206
            return HttpResponse(status=status, content_type=content_type, headers={**SAFE_HEADERS, **headers})
        content = open_stored(content_path(file.content_id))
        if part is not None:
            content.seek(part.start)
        return _streamed(request, content, file=file, content_type=content_type, headers=headers, part=part)


class Thumbnail(TableView):
    """/api/tables/{id}/files/{file}/thumbnail/"""

    @extend_schema(responses={(200, UNKNOWN, "image/webp"): {**TEXT, "format": "binary"}})
    def get(self, request: Request, table_id: int, file_id: str) -> StreamingHttpResponse:
        """Get the thumbnail of a picture: WebP, at most 320 pixels wide and high.

        404 for other files, and until a worker has created it.
        """
        Parameters(request)
        file = selectors.get_file(request.user, table_id=table_id, file_id=file_id)
        if not file.content.thumbnail_type:
            raise NotFound(NO_THUMBNAIL())
        return _streamed(
            request,
            open_stored(thumbnail_path(file.content_id)),
            file=file,
            content_type=file.content.thumbnail_type,
            headers={"Content-Disposition": "inline", "Cache-Control": "private, max-age=86400"},
        )


def _streamed(
    request: Request,
    content: IO[bytes],
    *,
    file: selectors.TableFile,
    content_type: str,
    headers: Mapping[str, str],
    part: range | None = None,
    clock: Clock = SYSTEM_CLOCK,
) -> StreamingHttpResponse:
    """Return the content of a file from its position, or a part. The rights are checked again while it is sent."""
    user, credential = request.user, credential_of(request._request, user=request.user)

    def has_access() -> bool:
        try:
            selectors.get_file(user, table_id=file.table_id, file_id=file.content_id)
        except TablesError:
            return False
        return is_valid(credential)

    length, status = (None, 200) if part is None else (len(part), 206)
    stream = FileStream(content, has_access=has_access, clock=clock, checked_at=clock.monotonic(), length=length)
    return StreamingHttpResponse(
        stream, status=status, content_type=content_type, headers={**SAFE_HEADERS, **headers}
    )


def file_json(file: selectors.TableFile) -> Json:
    """Return a file with its paths."""
    url = reverse("api_file", args=(file.table_id, file.content_id))
    return {
        "id": file.content_id,
        "name": file.name,
        "size": file.content.size,
        "type": file.content.type,
        "url": url,
        "thumbnail_url": f"{url}thumbnail/" if file.content.thumbnail_type else None,
    }

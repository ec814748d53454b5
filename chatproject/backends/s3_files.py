"""Files in cells in an S3-compatible object storage, read as a stream and in parts."""
from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from boto3.exceptions import Boto3Error
from boto3.s3.transfer import TransferConfig
from botocore.client import Config
from botocore.exceptions import BotoCoreError, ClientError
from storages.backends.s3 import S3Storage

CONNECT_SECONDS, READ_SECONDS = 5, 30
MAX_ATTEMPTS = 3
MAX_CONNECTIONS = 32
BUFFER_SIZE = 64 * 1024


class S3Files(S3Storage):
    """The storage of django-storages, with one client for all threads, and without public URLs.

    Its own files are read into memory completely when they are opened. All methods raise OSError when the storage is
    not available.
    """

    def __init__(self, **options: Any) -> None:
        # Servers other than Amazon's often have no names for their buckets, and no checksums.
        style = "path" if options.get("endpoint_url") else "auto"
        config = Config(
            signature_version="s3v4",
            s3={"addressing_style": style},
            connect_timeout=CONNECT_SECONDS,
            read_timeout=READ_SECONDS,
            retries={"total_max_attempts": MAX_ATTEMPTS, "mode": "standard"},
            max_pool_connections=MAX_CONNECTIONS,
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        )
        # One part of 8 MB in memory, instead of ten.
        transfer = TransferConfig(use_threads=False)
        types = {"ContentType": self.default_content_type}
        super().__init__(client_config=config, transfer_config=transfer, object_parameters=types, **options)
        self._shared_connection: Any = None
        self._lock = threading.Lock()

    @property
    def connection(self) -> Any:
        """The connection of this process. To create one for each thread, as requests have, takes too long.

        Only its client is used by several threads, which is safe.
        """
        with self._lock:
            if self._shared_connection is None:
                self._shared_connection = super().connection
            return self._shared_connection

    def url(self, *args: Any, **options: Any) -> str:
        raise ValueError("These files are sent by the app only.")

    def exists(self, name: str) -> bool:
        with _os_errors():
            return bool(super().exists(name))

    def delete(self, name: str) -> None:
        with _os_errors():
            super().delete(name)

    def _save(self, name: str, content: Any) -> str:
        with _os_errors():
            return str(super()._save(name, content))

    def _open(self, name: str, mode: str = "rb") -> IO[bytes]:
        if mode != "rb":
            raise ValueError("Files are read as bytes; they are stored with save().")
        place = {"Bucket": self.bucket_name, "Key": self._normalize_name(name)}
        client = self.connection.meta.client
        with _os_errors():
            found = client.head_object(**place)

        def read_from(position: int) -> Any:
            return client.get_object(**place, Range=f"bytes={position}-", IfMatch=found["ETag"])["Body"]

        return io.BufferedReader(S3Content(read_from, size=found["ContentLength"]), BUFFER_SIZE)


class S3Content(io.RawIOBase):
    """A stored content of `size` bytes. `read_from(position)` requests its rest, when something is read there."""

    def __init__(self, read_from: Callable[[int], Any], *, size: int) -> None:
        self._read_from = read_from
        self._size = size
        self._position = 0
        self._body: Any = None

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        position = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        if position < 0:
            raise ValueError("negative position")
        if position != self._position:
            self._end_body()
            self._position = position
        return position

    def readinto(self, buffer: Any) -> int:
        target = memoryview(buffer).cast("B")
        if self._position >= self._size or not target:
            return 0
        with _os_errors():
            if self._body is None:
                self._body = self._read_from(self._position)
            part = self._body.read(len(target))
        if not part:
            raise OSError("the object storage ended a content early")
        target[: len(part)] = part
        self._position += len(part)
        return len(part)

    def close(self) -> None:
        self._end_body()
        super().close()

    def _end_body(self) -> None:
        if self._body is not None:
            self._body.close()
            self._body = None


@contextmanager
def _os_errors() -> Iterator[None]:
    """Raise the errors of boto3 as OSError: FileNotFoundError if there is no such object."""
    try:
        yield
    except ClientError as error:
        if error.response.get("ResponseMetadata", {}).get("HTTPStatusCode") == 404:
            raise FileNotFoundError(str(error)) from error
        raise OSError(str(error)) from error
    except (BotoCoreError, Boto3Error) as error:
        raise OSError(str(error)) from error

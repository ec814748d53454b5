"""The storage of files in cells: a folder, or a bucket of an S3-compatible object storage."""
from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from chatproject.config import environment


def file_storage_from_environment(folder: Path) -> dict[str, Any]:
    """Return the storage that the variables FILES_S3_… describe as an item of STORAGES. Raises ImproperlyConfigured."""
    return file_storage(
        folder,
        bucket=environment.text("FILES_S3_BUCKET"),
        endpoint=environment.url("FILES_S3_ENDPOINT", "https", "http"),
        region=environment.text("FILES_S3_REGION"),
        prefix=environment.text("FILES_S3_PREFIX"),
        access_key=environment.text("FILES_S3_ACCESS_KEY"),
        secret_key=environment.text("FILES_S3_SECRET_KEY"),
    )


def file_storage(
    folder: Path, *, bucket: str, endpoint: str, region: str, prefix: str, access_key: str, secret_key: str
) -> dict[str, Any]:
    """Return the storage as an item of STORAGES. Without a bucket it is the folder. Raises ImproperlyConfigured.

    Neither storage has public URLs. Without keys, boto3 looks for credentials where other AWS tools do:
    AWS_ACCESS_KEY_ID, profiles, and the role of the machine.
    """
    if not bucket:
        if endpoint or region or prefix or access_key or secret_key:
            raise ImproperlyConfigured("The other variables FILES_S3_… have no effect without FILES_S3_BUCKET.")
        return _folder(folder)
    if bool(access_key) != bool(secret_key):
        raise ImproperlyConfigured("Set both FILES_S3_ACCESS_KEY and FILES_S3_SECRET_KEY, or neither.")
    keys = {"access_key": access_key, "secret_key": secret_key} if access_key else {}
    return {
        "BACKEND": "chatproject.backends.s3_files.S3Files",
        "OPTIONS": {
            "bucket_name": bucket,
            "endpoint_url": endpoint or None,
            "region_name": region or None,
            "location": prefix.strip("/"),
            **keys,
        },
    }


def _folder(folder: Path) -> dict[str, Any]:
    return {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {
            "location": folder,
            "base_url": None,
            "file_permissions_mode": 0o600,
            "directory_permissions_mode": 0o700,
        },
    }

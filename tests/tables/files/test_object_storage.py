"""Files of tables in an S3-compatible object storage, with a local server of moto."""
from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.checks import run_checks
from django.utils import timezone
from moto.server import ThreadedMotoServer
from PIL import Image

from chatproject.config.file_storage import file_storage as storage_settings
from tables.models import FileContent, Table
from tables.services.files import storage
from tables.services.files.retention import clear_files
from tables.services.files.storage import content_path, open_stored, thumbnail_path
from tables.tasks import create_thumbnail
from tests.conftest import Api
from tests.tables.files.test_files import FileTable, content_of, picture

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(endpoint: str, settings: Any, tmp_path: Any) -> Any:
    """Use a new bucket for files, and return it."""
    name = tmp_path.name.replace("_", "-")
    settings.STORAGES = {
        **settings.STORAGES,
        "files": storage_settings(
            tmp_path, bucket=name, endpoint=endpoint, region="eu-central-1", prefix="/tables/", access_key="key",
            secret_key="secret",
        ),
    }  # fmt: skip
    bucket = storage.file_storage().bucket
    bucket.create(CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    return bucket


def test_files_are_stored_read_in_parts_and_deleted(api: Api, bucket: Any) -> None:
    def keys() -> set[str]:
        return {each.key for each in bucket.objects.all()}

    things = FileTable(api)
    # More than one part of the upload, and than one piece of the download.
    content = bytes(range(256)) * 40_000
    large, image = things.upload("a.bin", content), things.upload("a.png", picture("PNG"))
    assert create_thumbnail.call(image["id"])
    contents = {f"tables/{content_path(file['id'])}" for file in (large, image)}
    assert keys() == {*contents, f"tables/{thumbnail_path(image['id'])}"}
    assert content_of(api.get(large["url"])) == content
    assert Image.open(io.BytesIO(content_of(api.get(f"{image['url']}thumbnail/")))).size == (320, 160)
    part = api.client.get(large["url"], headers={"Range": "bytes=5000000-5000009"})
    assert (part.status_code, content_of(part)) == (206, content[5_000_000:5_000_010])
    with open_stored(content_path(large["id"])) as file:
        assert (file.seek(5_000_001), file.read(3)) == (5_000_001, content[5_000_001:5_000_004])
        assert (file.seek(-2, io.SEEK_END), file.read()) == (len(content) - 2, content[-2:])
        assert (file.seek(0), file.read(2)) == (0, content[:2])
    with pytest.raises(ValueError, match="by the app only"):
        storage.file_storage().url(content_path(large["id"]))
    assert not [check for check in run_checks(include_deployment_checks=True) if check.id == "tables.E002"]

    Table.objects.filter(pk=things.id).delete()
    assert list(clear_files(now=timezone.now() + timedelta(days=2)))
    assert (keys(), FileContent.objects.count()) == (set(), 0)


def test_a_storage_that_refuses_is_reported_and_stores_nothing(api: Api, bucket: Any) -> None:
    things = FileTable(api)
    file = things.upload("a.txt", b"a")
    storage.file_storage().delete(content_path(file["id"]))
    assert api.get(file["url"]).status_code == 404
    for path in (content_path(file["id"]), thumbnail_path(file["id"])):
        storage.file_storage().delete(path)
    bucket.delete()
    refused = api.client.post(f"{things.url}files/", {"file": io.BytesIO(b"b")})
    assert (refused.status_code, refused.json()["error"], refused.headers["Retry-After"]) == (503, "unavailable", "10")
    assert FileContent.objects.count() == 1
    (fault,) = [check for check in run_checks(include_deployment_checks=True) if check.id == "tables.E002"]
    assert "NoSuchBucket" in fault.msg

"""Files that users add to messages: their blocks in requests, rights, limits, and later turns."""
from __future__ import annotations

import base64
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.exceptions import Malformed
from chat.files import LEFT_OUT, MAX_IMAGE_BYTES, MAX_PDF_BYTES, MAX_REQUEST_BYTES, ChatFile, content_blocks, reference
from chat.models import Message, Trace, TraceText
from chat.services import TurnRequest
from tables.models import FileContent, TableFile
from tests.chat.stored_conversations import turn_request
from tests.chat.turns.turn_runs import run_turn, text_of
from tests.conftest import Api
from tests.scripted_model import ScriptedModel, say
from tests.tables.files.hostile import named, png

pytestmark = pytest.mark.django_db(transaction=True)
PDF = b"%PDF-1.7 an offer"
COLUMNS = [{"name": "Name", "type": "text"}, {"name": "Files", "type": "attachment"}]

Json = dict[str, Any]


class FileTable:
    """A table with files."""

    def __init__(self, api: Api) -> None:
        self.id = str(api.post("/api/tables/", {"name": "Offers", "columns": COLUMNS}).json()["id"])
        self.api = api

    def upload(self, name: str, content: bytes) -> str:
        return str(self.api.client.post(f"/api/tables/{self.id}/files/", {"file": named(name, content)}).json()["id"])

    def request(self, *files: str, **fields: Any) -> TurnRequest:
        context = {"current_page": "table_view", "table_id": self.id}
        values = {"page": "table_view", "object_id": self.id, "context": context, "files": files, **fields}
        return turn_request("What is this?", **values)


@pytest.fixture
def offers(api: Api) -> FileTable:
    return FileTable(api)


def source(content: bytes, media_type: str) -> Json:
    return {"type": "base64", "media_type": media_type, "data": base64.b64encode(content).decode()}


def about(name: str, media_type: str, content: bytes) -> Json:
    described = f'{{"name":"{name}","media_type":"{media_type}","size":{len(content)}}}'
    return {"type": "text", "text": f"A file that the user has added: {described}"}


def test_files_of_a_message_are_sent_as_blocks_and_stored_as_references(user: User, offers: FileTable) -> None:
    picture, document = offers.upload("a.png", png()), offers.upload("b.pdf", PDF)
    script = ScriptedModel(say("A picture and an offer."), say("As I said."))
    turn, _ = run_turn(user, script, offers.request(picture, document))
    *_, last = script.requests[0]["messages"]
    blocks = [
        about("a.png", "image/png", png()), {"type": "image", "source": source(png(), "image/png")},
        about("b.pdf", "application/pdf", PDF), {"type": "document", "source": source(PDF, "application/pdf")},
    ]  # fmt: skip
    assert last["content"][-5:] == [*blocks, {"type": "text", "text": "What is this?"}]

    message = Message.objects.get(role="user")
    assert [file["name"] for file in message.files] == ["a.png", "b.pdf"]
    stored = str([message.exchange, *Trace.objects.values(), *TraceText.objects.values()])
    assert base64.b64encode(PDF).decode() not in stored

    # A later turn of the conversation has them again, as far as they exist.
    TableFile.objects.filter(content_id=picture).delete()
    run_turn(user, script, offers.request(conversation_id=str(turn.conversation_id)))
    first = script.requests[1]["messages"][0]["content"]
    missing = "It has been deleted, or the user cannot read it any more."
    assert first[1] == {"type": "text", "text": f"{blocks[0]['text']} {missing}"}
    assert [block["type"] for block in first] == ["text", "text", "text", "document"]


def faults_of(request: TurnRequest, *, user: User) -> list[tuple[str, str]]:
    with pytest.raises(Malformed) as caught:
        run_turn(user, ScriptedModel(), request)
    faults = [(fault["path"], fault["code"]) for fault in (each.as_json() for each in caught.value.faults)]
    return faults or [(caught.value.path, caught.value.code)]


def test_files_are_refused_without_rights_and_beyond_limits(user: User, other_user: User, offers: FileTable) -> None:
    text, picture = offers.upload("a.txt", b"a"), offers.upload("a.png", png())
    documents = [offers.upload(f"{number}.pdf", PDF) for number in range(2)]
    foreign = FileTable(Api(other_user)).upload("b.png", png())
    FileContent.objects.filter(pk=picture).update(size=MAX_IMAGE_BYTES + 1)
    FileContent.objects.filter(pk__in=documents).update(size=MAX_REQUEST_BYTES // 2 + 1)
    assert faults_of(offers.request(text, picture, foreign), user=user) == [
        ("files[0]", "unreadable_file"), ("files[1]", "file_too_large"), ("files[2]", "unknown_file"),
    ]  # fmt: skip
    assert faults_of(offers.request(*documents), user=user) == [("files", "files_too_large")]
    body = {"message": "Hi", "context": {"current_page": "table_view", "table_id": offers.id}}
    for files, path in (("x", "files"), (["x"] * 11, "files"), ([5], "files[0]")):
        refused = offers.api.post("/api/chat/stream/", {**body, "files": files})
        assert (refused.status_code, refused.json()["errors"][0]["path"]) == (400, path)
    assert Message.objects.count() == 0


def test_a_request_with_the_largest_files_stays_below_the_limits_of_the_api() -> None:
    limits = (("image/png", MAX_IMAGE_BYTES, 5 * 2**20), ("application/pdf", MAX_PDF_BYTES, 28 * 10**6))
    for media_type, size, limit in limits:
        file = reference(ChatFile("a", "a", media_type, size), tokens=1)
        blocks = content_blocks(file, content=bytes(size))
        assert len(blocks[1]["source"]["data"]) <= limit


def document(pages: int, *, number: int) -> bytes:
    return b"%PDF-1.7 " + b"<< /Type /Page >> " * pages + str(number).encode()


def test_earlier_files_are_left_out_when_the_budget_of_tokens_is_used_up(user: User, offers: FileTable) -> None:
    script = ScriptedModel(*(say("Fine.") for _ in range(3)))
    keys = [offers.upload(f"{number}.pdf", document(30, number=number)) for number in range(2)]
    turn, _ = run_turn(user, script, offers.request(keys[0]))
    conversation = str(turn.conversation_id)
    run_turn(user, script, offers.request(keys[1], conversation_id=conversation))
    run_turn(user, script, offers.request(keys[0], conversation_id=conversation))
    sent = [[block for message in each["messages"] for block in message["content"]] for each in script.requests]
    sources = [[block["source"]["data"] for block in blocks if "source" in block] for blocks in sent]
    assert [[base64.b64decode(data)[-1:] for data in each] for each in sources] == [[b"0"], [b"1"], [b"0"]]
    left_out = [sum(LEFT_OUT in block.get("text", "") for block in blocks) for blocks in sent]
    assert left_out == [0, 1, 1]

    long = offers.upload("long.pdf", document(70, number=2))
    assert faults_of(offers.request(long), user=user) == [("files", "files_too_long")]


def test_the_demo_model_names_the_files(user: User, offers: FileTable) -> None:
    _, events = run_turn(user, None, offers.request(offers.upload("a.png", png())))
    assert f"(image/png, {len(png())} bytes)" in text_of(events)

"""Processes are begun again one by one while people work: nothing is lost, and what cannot be finished says so."""
from __future__ import annotations

import signal
from contextlib import ExitStack
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.models import Message, OpenStreamCount, Turn
from tables.models import Row, Table
from tests.chat.stream_client import STREAM, turn_body
from tests.chatproject.production.cluster import Cluster, Server, Visitor, comes_true
from tests.chatproject.production.conftest import Answers
from tests.chatproject.production.page_load import LIST, Load

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres_only]

RESTARTING = 1012


def asked(words: str) -> dict[str, Any]:
    return turn_body(words, context=LIST)


def begun_again(server: Server, *, cluster: Cluster, user: User, answers: Answers, load: Load) -> list[str]:
    """Restarts a process in the middle of two answers, one of which nobody follows any more; what they said."""
    gate = answers.held("Tell me")
    with ExitStack() as open_ones:
        page = open_ones.enter_context(cluster.socket("/ws/chat/", user=user, at=server))
        page.hear("here")
        visitor = Visitor(cluster, user, at=server)
        with visitor.open("POST", STREAM, asked("Tell me what nobody hears")) as left:
            unheard = left.until("text_delta")[0]["turn_id"]
        followed = open_ones.enter_context(visitor.open("POST", STREAM, asked("Tell me")))
        begun = followed.until("text_delta")

        server.told_to_end()
        assert page.hear_close() == RESTARTING
        comes_true(lambda: not server.listens(), of="it takes nothing new")
        load.moves_on()
        # Elsewhere, one can join what still runs there.
        with Visitor(cluster, user).open("GET", f"/api/chat/turns/{begun[0]['turn_id']}/stream/") as joined:
            assert joined.until("text_delta") == begun
            assert server.runs
            gate.open()
            kinds = [list(stream)[-1]["type"] for stream in (followed, joined)]
    assert kinds == ["complete"] * 2
    # uvicorn ends itself by the signal that it was sent.
    assert server.ended() in (0, -signal.SIGTERM), server.said()
    answers.to.clear()
    turns = Turn.objects.filter(pk__in=[begun[0]["turn_id"], unheard])
    assert set(turns.values_list("state", flat=True)) == {"complete"}
    cluster.whole()
    load.moves_on()
    return [answer.text for answer in Message.objects.filter(turn__in=turns, role="assistant")]


def test_a_rolling_restart_under_load_loses_nothing(
    cluster: Cluster, answers: Answers, user: User, other_user: User, jobs: Table
) -> None:
    with Load(lambda: Visitor(cluster, user), table_id=jobs.pk) as load:
        load.moves_on()
        for server in cluster.servers:
            said = begun_again(server, cluster=cluster, user=other_user, answers=answers, load=load)
            assert said == ["One two three"] * 2
            assert "Traceback" not in server.said()

    assert load.troubles == []
    names = [next(iter(row.data.values())) for row in Row.objects.filter(table=jobs).order_by("pk")]
    assert sorted(names) == sorted(load.rows)
    assert {answer["type"] for answer in load.answers} == {"complete"}
    assert Turn.objects.filter(user=user).count() == len(load.answers)
    assert set(Turn.objects.values_list("state", flat=True)) == {"complete"}
    assert not OpenStreamCount.objects.exists()


def test_what_cannot_be_finished_says_so_and_while_nobody_is_there_the_proxy_does(
    cluster: Cluster, answers: Answers, user: User
) -> None:
    server, other = cluster.servers
    answers.held("Never end")
    with Visitor(cluster, user, at=server).open("POST", STREAM, asked("Never end")) as stream:
        turn_id = stream.until("text_delta")[0]["turn_id"]
        server.told_to_end()
        comes_true(lambda: not server.listens(), of="it takes nothing new")
        server.told_to_end()
        final = list(stream)[-1]
    answers.to.clear()
    assert (final["type"], final["retryable"], server.ended()) == ("error", True, 0), server.said()
    # At once, and not when it has been silent for half a minute.
    turn = Turn.objects.get(pk=turn_id)
    assert (turn.state, turn.error_message) == ("error", final["message"])
    assert Message.objects.get(turn=turn, role="assistant").text == "One two"
    with Visitor(cluster, user).open("POST", STREAM, {**asked("Again"), "retry_of": turn_id, "message": ""}) as stream:
        assert list(stream)[-1]["type"] == "complete"

    other.kill()
    status, answer, headers = Visitor(cluster, user).request("POST", "/api/tables/", {"name": "Jobs"})
    assert (status, answer["error"], headers["Retry-After"]) == (503, "unavailable", "2")

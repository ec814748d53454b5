"""nginx, Redis and two server processes, started once, and a scripted model."""
from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from chatproject.testing.programs import find_servers
from tables.models import Table
from tables.operations import Origin
from tables.services import create_table
from tests.chatproject.production.cluster import Cluster, Server
from tests.scripted_model import Gate, Reply, ScriptedModel, say

Json = dict[str, Any]


class Replies:
    """Replies of the model by a text of the last message; "Hello." for all others."""

    def __init__(self) -> None:
        self.replies: dict[str, Reply] = {}

    def __call__(self, request: Json) -> Reply:
        message = json.dumps(request["messages"][-1])
        return next((reply for text, reply in self.replies.items() if text in message), say("Hello."))

    def pause(self, text: str) -> Gate:
        """Return a gate at which replies to this text wait after their first two parts."""
        gate = Gate()
        self.replies[text] = say("One two three", sizes=(4,), gate=gate, gate_after=2)
        return gate


@pytest.fixture(scope="package")
def replies() -> Replies:
    return Replies()


@pytest.fixture(scope="package")
def script(replies: Replies) -> ScriptedModel:
    return ScriptedModel(otherwise=replies)


@pytest.fixture(scope="package")
def started_cluster(
    django_db_setup: None, static_files: Path, script: ScriptedModel, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Cluster]:
    programs = {name: path for name, path in find_servers().items() if path is not None}
    if len(programs) < 2:
        pytest.skip("no nginx or no redis-server on this machine")
    folder = tmp_path_factory.mktemp("cluster")
    with script.serve() as model, Cluster(folder, model=model, programs=programs) as cluster:
        yield cluster


@pytest.fixture
def cluster(started_cluster: Cluster) -> Cluster:
    return started_cluster.wait_until_ready()


@pytest.fixture(params=[0, 1], ids=["Daphne", "uvicorn"])
def server(request: pytest.FixtureRequest, cluster: Cluster) -> Server:
    """Each of the two servers in turn."""
    return cluster.servers[request.param]


@pytest.fixture
def other_server(server: Server, cluster: Cluster) -> Server:
    """The server that is not `server`."""
    return next(each for each in cluster.servers if each is not server)


@pytest.fixture
def jobs(user: User) -> Table:
    return create_table(user=user, name="Jobs", columns=[{"name": "Company", "type": "text"}], origin=Origin("api"))

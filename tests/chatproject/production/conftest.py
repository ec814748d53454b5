"""nginx, Redis and two server processes, begun once; an assistant that says what it is told to."""
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


class Answers:
    """What the assistant answers: "Hello." to everybody but those whose words are written down here."""

    def __init__(self) -> None:
        self.to: dict[str, Reply] = {}

    def __call__(self, request: Json) -> Reply:
        asked = json.dumps(request["messages"][-1])
        return next((reply for words, reply in self.to.items() if words in asked), say("Hello."))

    def held(self, words: str) -> Gate:
        """From now on the answer to these words waits half way, at this gate."""
        gate = Gate()
        self.to[words] = say("One two three", sizes=(4,), gate=gate, gate_after=2)
        return gate


@pytest.fixture(scope="package")
def answers() -> Answers:
    return Answers()


@pytest.fixture(scope="package")
def script(answers: Answers) -> ScriptedModel:
    return ScriptedModel(otherwise=answers)


@pytest.fixture(scope="package")
def started(
    django_db_setup: None, static_files: Path, script: ScriptedModel, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Cluster]:
    programs = {name: path for name, path in find_servers().items() if path is not None}
    if len(programs) < 2:
        pytest.skip("no nginx or no redis-server on this machine")
    folder = tmp_path_factory.mktemp("cluster")
    with script.serve() as model, Cluster(folder, model=model, programs=programs) as cluster:
        yield cluster


@pytest.fixture
def cluster(started: Cluster) -> Cluster:
    return started.whole()


@pytest.fixture(params=[0, 1], ids=["Daphne", "uvicorn"])
def here(request: pytest.FixtureRequest, cluster: Cluster) -> Server:
    """One of the processes, and then the other."""
    return cluster.servers[request.param]


@pytest.fixture
def there(here: Server, cluster: Cluster) -> Server:
    """The other process."""
    return next(server for server in cluster.servers if server is not here)


@pytest.fixture
def jobs(user: User) -> Table:
    return create_table(user=user, name="Jobs", columns=[{"name": "Company", "type": "text"}], origin=Origin("api"))

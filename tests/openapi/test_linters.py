"""Linters find nothing in the API documents. Their configurations give the reason for each rule that is off."""
from __future__ import annotations

from pathlib import Path

import pytest

from chatproject.openapi.asyncapi import asyncapi_document
from shared import strictjson
from tests.openapi.node_tools import TOOLS, run

pytestmark = pytest.mark.slow


@pytest.fixture
def names(openapi_file: Path) -> tuple[str, str]:
    """Return the names of both documents in the folder of the first."""
    sockets = openapi_file.with_name("asyncapi.json")
    sockets.write_text(strictjson.dumps(asyncapi_document(host="127.0.0.1", secure=True)), encoding="utf-8")
    return openapi_file.name, sockets.name


def test_redocly_finds_nothing(tools: Path, openapi_file: Path, names: tuple[str, str]) -> None:
    config = str(TOOLS / "redocly.yaml")
    run("redocly", "lint", f"--config={config}", *names, tools=tools, folder=openapi_file.parent)


def test_spectral_finds_nothing(tools: Path, openapi_file: Path, names: tuple[str, str]) -> None:
    options = (f"--ruleset={TOOLS / 'spectral.yaml'}", "--fail-severity=hint")
    run("spectral", "lint", *options, *names, tools=tools, folder=openapi_file.parent)

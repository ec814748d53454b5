"""Linters find nothing in the OpenAPI document. Their configurations give the reason for each rule that is off."""
from __future__ import annotations

from pathlib import Path

import pytest

from tests.openapi.node_tools import TOOLS, run

pytestmark = pytest.mark.slow


def test_redocly_finds_nothing(tools: Path, openapi_file: Path) -> None:
    config = str(TOOLS / "redocly.yaml")
    run("redocly", "lint", f"--config={config}", openapi_file.name, tools=tools, folder=openapi_file.parent)


def test_spectral_finds_nothing(tools: Path, openapi_file: Path) -> None:
    options = (f"--ruleset={TOOLS / 'spectral.yaml'}", "--fail-severity=hint")
    run("spectral", "lint", *options, openapi_file.name, tools=tools, folder=openapi_file.parent)

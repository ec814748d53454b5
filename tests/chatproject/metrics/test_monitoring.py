"""docs/monitoring.md, the alerts and the dashboard name metrics that exist."""
from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from chatproject.observability.metrics.database import READER, STORED_COUNTERS
from tests.conftest import Api

ROOT = Path(__file__).parents[3]
DOCUMENT = (ROOT / "docs/monitoring.md").read_text()
FOLDER = ROOT / "docs/deploy/monitoring"
RULES: list[dict[str, Any]] = yaml.safe_load((FOLDER / "tablechat-rules.yml").read_text())["groups"][0]["rules"]
RULES_TEST = "tablechat-rules-test.yml"
# Part of Debian's package `prometheus`, which also starts a server, so the tests do not install it.
PROMTOOL = shutil.which("promtool")
# Only present if something is missing, and those of a pool of connections, which SQLite has not.
ABSENT = {"tablechat_metric_missing"}
POOL = {f"tablechat_database_connections{ending}" for ending in ("", "_max", "_waiting")}


@pytest.fixture
def names(anonymous_api: Api) -> set[str]:
    """Return the names of all metrics."""
    text = anonymous_api.client.get("/metrics").content.decode()
    exposed = set(re.findall(r"^# TYPE (tablechat_\w+)", text, re.MULTILINE))
    assert {name for figures in READER.figures for name in figures.names} <= exposed | STORED_COUNTERS.keys()
    return exposed | STORED_COUNTERS.keys() | ABSENT | POOL


def used_names(expressions: list[str]) -> set[str]:
    found = set(re.findall(r"tablechat_\w+", " ".join(expressions)))
    return {re.sub(r"(_seconds)_(bucket|count|sum)$", r"\1", name) for name in found}


def test_the_document_lists_all_metrics(names: set[str]) -> None:
    assert set(re.findall(r"^\| `(tablechat_\w+)`", DOCUMENT, re.MULTILINE)) == names


def test_alerts_and_dashboard_use_existing_metrics(names: set[str]) -> None:
    panels = json.loads((FOLDER / "grafana-dashboard.json").read_text())["panels"]
    expressions = [target["expr"] for panel in panels for target in panel["targets"]]
    assert used_names(expressions + [rule["expr"] for rule in RULES]) <= names
    assert re.findall(r"^\| `(TableChat\w+)`", DOCUMENT, re.MULTILINE) == [rule["alert"] for rule in RULES]


@pytest.mark.postgres_only
def test_connections_of_the_pool_are_measured(anonymous_api: Api) -> None:
    text = anonymous_api.client.get("/metrics").content.decode()
    assert {name for name in POOL if f"# TYPE {name} gauge" in text} == POOL


if PROMTOOL is not None:

    @pytest.mark.slow
    @pytest.mark.parametrize("command", [("check", "config", "prometheus.yml"), ("test", "rules", RULES_TEST)])
    def test_prometheus_accepts_the_files_and_alerts_fire(command: tuple[str, ...]) -> None:
        process = subprocess.run([str(PROMTOOL), *command], cwd=FOLDER, capture_output=True, text=True, check=False)
        assert process.returncode == 0, process.stdout + process.stderr

"""Clients that are generated from the OpenAPI document compile, and work with a server."""
from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.openapi.node_tools import TOOLS, run, run_node

HERE = Path(__file__).parent


@pytest.fixture
def server(live_server_url: str, token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the variables from which the clients read the server and the token."""
    monkeypatch.setenv("SERVER", live_server_url)
    monkeypatch.setenv("TOKEN", token)


def test_typescript_client_compiles_and_works(server: None, tools: Path, openapi_file: Path) -> None:
    folder = openapi_file.parent
    (folder / "node_modules").symlink_to(tools / "node_modules")
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    shutil.copy(HERE / "typescript_client.ts", folder / "client.ts")
    shutil.copy(TOOLS / "tsconfig.json", folder)
    run("openapi-typescript", openapi_file.name, "--output=api.ts", tools=tools, folder=folder)
    run("tsc", tools=tools, folder=folder)
    run_node("client.js", folder=folder)


def test_python_client_imports_and_works(server: None, openapi_file: Path) -> None:
    folder = openapi_file.parent
    # Without hooks, which would format the code.
    (folder / "config.yaml").write_text("post_hooks: []", encoding="utf-8")
    shutil.copy(HERE / "python_client.py", folder / "client.py")
    generate = ["generate", f"--path={openapi_file}", "--config=config.yaml", "--meta=none", "--output-path=api"]
    run_python("-m", "openapi_python_client", *generate, "--fail-on-warning", folder=folder)
    run_python("client.py", folder=folder)


def run_python(*arguments: str, folder: Path) -> None:
    """Run Python in a folder. A failure is an AssertionError with its output."""
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env={**os.environ}, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr

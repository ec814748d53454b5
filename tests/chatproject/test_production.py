"""Settings of a public server pass Django's deployment checks; incomplete ones prevent the start."""
from __future__ import annotations

import os
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Api

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = {"ALLOWED_HOSTS": "tables.example.org", "DEBUG": "0"}


def manage(*arguments: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `manage.py` in a separate process with only these environment variables."""
    inherited = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    command = [sys.executable, "manage.py", *arguments]
    variables = {**inherited, **environment, "DATA_DIR": str(folder)}
    return subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)


def deploy_environment() -> dict[str, str]:
    """Return the variables of `docs/deploy/tablechat.env` with a secret key."""
    lines = (ROOT / "docs" / "deploy" / "tablechat.env").read_text(encoding="utf-8").splitlines()
    variables = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    return {**variables, "SECRET_KEY": secrets.token_urlsafe(60)}


def test_checks_pass_with_the_deploy_environment(tmp_path: Path) -> None:
    # Also with Django's names of the middleware, which enable more checks.
    program = """
import django
django.setup()
from django.conf import settings
from django.core.checks import run_checks
from django.core.management import call_command
from django.test import override_settings
from django.utils.module_loading import import_string
call_command("check", deploy=True, fail_level="WARNING")
middleware = [import_string(path) for path in settings.MIDDLEWARE]
classes = [base for each in middleware if isinstance(each, type) for base in each.__mro__]
with override_settings(MIDDLEWARE=[f"{base.__module__}.{base.__qualname__}" for base in classes]):
    print(sorted(message.id for message in run_checks(include_deployment_checks=True)))
"""
    environment = {**deploy_environment(), "DJANGO_SETTINGS_MODULE": "chatproject.settings", "DATA_DIR": str(tmp_path)}
    command = [sys.executable, "-c", program]
    process = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    # Only the owner of the domain knows which subdomains use TLS (W005) and whether to preload HSTS (W021).
    output = ["System check identified no issues (3 silenced).", "['security.W005', 'security.W021']"]
    assert process.stdout.splitlines() == output, process.stderr


def test_probes_and_metrics_are_reached_by_ip_address(anonymous_api: Api, settings: Any) -> None:
    settings.ALLOWED_HOSTS = deploy_environment()["ALLOWED_HOSTS"].split(",")
    headers = {"Host": "127.0.0.1:8001"}
    responses = [anonymous_api.client.get(path, headers=headers) for path in ("/healthz", "/metrics")]
    assert [response.status_code for response in responses] == [200, 200]
    assert anonymous_api.client.get("/healthz", headers={"Host": "elsewhere.example.org"}).status_code == 400


def test_a_public_host_without_a_secret_key_does_not_start(tmp_path: Path) -> None:
    process = manage("check", folder=tmp_path, **PUBLIC)

    assert process.returncode != 0
    assert "Set SECRET_KEY" in process.stderr
    assert not (tmp_path / "secret_key").exists()


def test_missing_static_files_prevent_the_start_with_a_command(tmp_path: Path) -> None:
    served = {**PUBLIC, "SECRET_KEY": secrets.token_urlsafe(60)}
    process = manage("serve", "--port", "1", folder=tmp_path, **served)
    assert process.returncode == 1
    assert process.stderr.endswith("\n    python3 manage.py collectstatic --noinput\n"), process.stderr

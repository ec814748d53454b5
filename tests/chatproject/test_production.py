"""With the settings of a public server the framework's own checks have nothing to say; half-set ones do not start."""
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

SERVED = {**PUBLIC, "HTTPS": "1", "DJANGO_SETTINGS_MODULE": "chatproject.settings", "PATH": os.environ["PATH"]}


def manage(*arguments: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """`manage.py` in a process of its own, with this environment alone."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    command = [sys.executable, "manage.py", *arguments]
    given = {**kept, **environment, "DATA_DIR": str(folder)}
    return subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True, check=False)


def shipped() -> dict[str, str]:
    """`docs/deploy/tablechat.env` as it is filled in."""
    lines = (ROOT / "docs" / "deploy" / "tablechat.env").read_text(encoding="utf-8").splitlines()
    said = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    return {**said, "SECRET_KEY": secrets.token_urlsafe(60)}


def test_the_environment_that_is_shipped_is_complete(tmp_path: Path) -> None:
    kept = {key: value for key, value in shipped().items() if key != "DATA_DIR"}
    done = manage("check", "--deploy", "--fail-level", "WARNING", folder=tmp_path, **kept)
    assert (done.returncode, done.stdout) == (0, "System check identified no issues (3 silenced).\n"), done.stderr


def test_probes_and_prometheus_ask_each_process_by_the_address_of_its_machine(
    anonymous_api: Api, settings: Any) -> None:
    settings.ALLOWED_HOSTS = shipped()["ALLOWED_HOSTS"].split(",")
    asked = [anonymous_api.client.get(path, headers={"Host": "127.0.0.1:8001"}) for path in ("/healthz", "/metrics")]
    assert [answer.status_code for answer in asked] == [200, 200]
    assert anonymous_api.client.get("/healthz", headers={"Host": "elsewhere.example.org"}).status_code == 400


def test_nothing_escapes_the_checks_for_going_by_names_of_our_own(tmp_path: Path) -> None:
    by_djangos_names = """
import django
django.setup()
from django.conf import settings
from django.core.checks import run_checks
from django.test import override_settings
from django.utils.module_loading import import_string
found = [import_string(path) for path in settings.MIDDLEWARE]
kinds = [kind for one in found if isinstance(one, type) for kind in one.__mro__]
with override_settings(MIDDLEWARE=[f"{kind.__module__}.{kind.__qualname__}" for kind in kinds]):
    print(sorted(fault.id for fault in run_checks(include_deployment_checks=True)))
"""
    environment = {**SERVED, "DATA_DIR": str(tmp_path), "SECRET_KEY": secrets.token_urlsafe(60)}
    command = [sys.executable, "-c", by_djangos_names]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    # Which subdomains speak TLS, and whether for ever, only the owner of the domain knows.
    assert done.stdout.splitlines()[-1:] == ["['security.W005', 'security.W021']"], done.stderr


def test_a_public_host_without_a_secret_key_does_not_start(tmp_path: Path) -> None:
    done = manage("check", folder=tmp_path, **PUBLIC)

    assert done.returncode != 0
    assert "Set SECRET_KEY" in done.stderr
    assert not (tmp_path / "secret_key").exists()


def test_a_server_whose_pages_would_have_no_styles_says_what_to_type(tmp_path: Path) -> None:
    served = {**PUBLIC, "SECRET_KEY": secrets.token_urlsafe(60)}
    done = manage("serve", "--port", "1", folder=tmp_path, **served)
    assert done.returncode == 1
    assert done.stderr.endswith("\n    python3 manage.py collectstatic --noinput\n"), done.stderr

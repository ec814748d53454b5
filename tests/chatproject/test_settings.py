"""Environment variables: documented with their defaults, and invalid values prevent the start."""
from __future__ import annotations

import ast
import re
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from chatproject.testing.isolation import INSTALLATION_VARIABLES
from tests.chatproject.test_production import ROOT, manage

READERS = {
    "text", "comma_separated", "hosts", "origins", "networks", "url", "boolean", "integer", "choice", "decimal",
    "chat_models", "domains", "headers",
}  # fmt: skip
NAME = re.compile(r"`([A-Z][A-Z0-9_]+)`")


def read_in_code() -> dict[str, int | None]:
    """Return the variables that the code reads, with their defaults where those are numbers."""
    variables: dict[str, int | None] = {}
    for path in (ROOT / "chatproject" / "settings.py", *(ROOT / "chatproject" / "config").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Constant):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in READERS and str(node.args[0].value).isupper():
                numbers = [each.value for each in node.args[1:] if isinstance(each, ast.Constant)]
                variables[str(node.args[0].value)] = numbers[0] if name == "integer" else None
    return variables


def documented() -> Iterator[tuple[list[str], list[str]]]:
    """Yield the names and the defaults of each row of the table of settings."""
    text = (ROOT / "docs" / "operations.md").read_text()
    for line in text[text.index("## Settings") : text.index("## Monitoring")].splitlines():
        if line.startswith("| `"):
            names, defaults, *_ = line.strip("| ").split(" | ")
            yield NAME.findall(names), defaults.split(", ")


def test_every_variable_is_documented_and_no_other() -> None:
    names = [name for row, _ in documented() for name in row]
    assert sorted(names) == sorted(read_in_code())


def test_the_defaults_of_numbers_are_documented() -> None:
    defaults_by_name = {
        name: default
        for names, defaults in documented()
        if len(names) == len(defaults)
        for name, default in zip(names, defaults, strict=True)
    }
    numbers = {name: str(default) for name, default in read_in_code().items() if default is not None}
    assert {name: defaults_by_name.get(name) for name in numbers} == numbers


def test_the_deploy_environment_sets_only_known_variables() -> None:
    lines = (ROOT / "docs" / "deploy" / "tablechat.env").read_text().splitlines()
    assert {line.split("=")[0] for line in lines if line[:1].isupper()} - read_in_code().keys() == set()


def test_tests_unset_all_variables_of_the_developer() -> None:
    assert [name for name in read_in_code() if not name.startswith(("DATA_DIR", *INSTALLATION_VARIABLES))] == []


def test_the_environment_is_read_in_one_module() -> None:
    packages = ("accounts", "chat", "chatproject", "shared", "tables")
    reading = [
        str(path.relative_to(ROOT))
        for package in packages
        for path in (ROOT / package).rglob("*.py")
        if re.search(r"os\.(environ(\.get|\[)|getenv)", path.read_text())
    ]
    # Code that prepares or tests the machine runs before the settings.
    before_settings = (
        *("chatproject/startup/bootstrap.py", "chatproject/testing/"),
        "chatproject/management/commands/test.py",
    )
    assert [path for path in reading if not path.startswith(before_settings)] == ["chatproject/config/environment.py"]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("DATABASE_URL", "mysql://me:secret@db/tables", "DATABASE_URL must be a URL that starts with postgres://"),
        ("DATABASE_URL", "postgres://me:secret@db:port/tables", "DATABASE_URL must be a URL that starts with"),
        ("REDIS_URL", "localhost:6379", "REDIS_URL must be a URL that starts with redis://"),
        ("ANTHROPIC_BASE_URL", "http://[::1", "ANTHROPIC_BASE_URL must be a URL that starts with https://"),
        ("ALLOWED_HOSTS", "https://tables.example.org", "ALLOWED_HOSTS must be values such as tables.example.org"),
        ("ALLOWED_HOSTS", "tables.example.org:8000", "ALLOWED_HOSTS must be values such as tables.example.org"),
        ("CSRF_TRUSTED_ORIGINS", "tables.example.org", "CSRF_TRUSTED_ORIGINS must be values such as https://"),
        ("LOG_LEVEL", "loud", "LOG_LEVEL must be debug or info or warning or error or critical, not 'loud'."),
        ("LOG_FORMAT", "xml", "LOG_FORMAT must be line or json, not 'xml'."),
        ("CHAT_PRICE_INPUT", "3", "Set both CHAT_PRICE_INPUT and CHAT_PRICE_OUTPUT, or neither."),
        ("CHAT_MODELS", "[]", "CHAT_MODELS: must be a list of 1 to 20 models."),
        ("ANTHROPIC_CUSTOM_HEADERS", "X-Team secret", "ANTHROPIC_CUSTOM_HEADERS: line 1 must have the form"),
        ("CHAT_PRICE_INPUT", "-3", "CHAT_PRICE_INPUT must be a number such as 3 or 0.30, not '-3'."),
        ("CHAT_MAX_TOKENS", "many", "CHAT_MAX_TOKENS must be a whole number from 1 to 64000, not 'many'."),
        ("DEBUG", "maybe", "DEBUG must be 1 or 0, not 'maybe'."),
        ("TRUSTED_PROXIES", "nginx", "TRUSTED_PROXIES must be IP addresses or networks"),
        ("FILES_S3_SECRET_KEY", "secret", "The other variables FILES_S3_… have no effect without FILES_S3_BUCKET."),
        ("FILES_S3_ENDPOINT", "minio:9000", "FILES_S3_ENDPOINT must be a URL that starts with https://"),
        ("DATA_DIR", "/dev/null/var", "DATA_DIR must be a folder that exists or can be created, not '/dev/null/var': "),
    ],
)
def test_invalid_values_are_reported_without_secrets(
    name: str, value: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    monkeypatch.setenv(name, value)

    with pytest.raises(ImproperlyConfigured, match=re.escape(message)) as error:
        runpy.run_path(str(ROOT / "chatproject" / "settings.py"))

    assert re.fullmatch(r"[^\n]+\.", str(error.value))
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "postgres://me:p%40ss@%2Frun%2Fpostgresql/tables"),
        ("DATABASE_URL", "sqlite:////srv/tables.sqlite3"),
        ("REDIS_URL", "unix:///run/redis.sock"),
        ("ALLOWED_HOSTS", "*"),
        ("ALLOWED_HOSTS", "tables.example.org, .example.org, 10.0.0.7, [2001:db8::7]"),
        ("CSRF_TRUSTED_ORIGINS", "https://tables.example.org, https://*.example.org, http://10.0.0.7:8080"),
        ("ANTHROPIC_BASE_URL", "http://127.0.0.1:8080/v1"),
        ("LOG_LEVEL", "Warning"),
        ("DRAIN_SECONDS", "0"),
    ],
)
def test_valid_values_are_accepted(
    name: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    monkeypatch.setenv(name, value)
    assert runpy.run_path(str(ROOT / "chatproject" / "settings.py"))["DATA_DIR"] == tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "serve", "db_worker"])
def test_commands_print_only_the_error_message(command: str, tmp_path: Path) -> None:
    process = manage(command, folder=tmp_path, LOG_FORMAT="xml")
    assert (process.returncode, process.stderr) == (1, "LOG_FORMAT must be line or json, not 'xml'.\n")

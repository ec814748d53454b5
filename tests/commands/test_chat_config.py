"""`manage.py chat_config`: the assistant's configuration out of one installation and into another."""
from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from chat.configuration import Address
from chat.models import ConfigurationChange, Override
from chat.services.configuration import Edit, change_configuration, restore_configuration

pytestmark = pytest.mark.django_db

SHORT = {"description": "Reads."}


def change(name: str) -> None:
    change_configuration(user=None, edits=[Edit(Address("tool", name), SHORT)], now=timezone.now())


@pytest.fixture
def exported(tmp_path: Path) -> str:
    """A file with one change, which is no longer there."""
    change("get_rows")
    target = tmp_path / "assistant.json"
    call_command("chat_config", "export", str(target))
    restore_configuration(user=None, version=0, now=timezone.now())
    return str(target)


def changed() -> list[str]:
    return sorted(Override.objects.values_list("name", flat=True))


def test_the_dry_run_says_what_would_change_and_writes_nothing(
    exported: str, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("chat_config", "import", "--dry-run", exported)
    assert "tool get_rows, description: set" in capsys.readouterr().out
    assert changed() == []


def test_the_import_replaces_what_was_there_and_says_why(exported: str) -> None:
    change("search_rows")
    call_command("chat_config", "import", "--why", "Release 7", exported)
    assert changed() == ["get_rows"]
    assert ConfigurationChange.objects.order_by("-pk").values_list("why", flat=True)[0] == "Release 7"


def test_the_import_of_only_what_is_named_leaves_the_rest(exported: str) -> None:
    change("search_rows")
    call_command("chat_config", "import", "--only-named", exported)
    assert changed() == ["get_rows", "search_rows"]


def test_the_second_import_changes_nothing(exported: str, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("chat_config", "import", exported)
    call_command("chat_config", "import", exported)
    assert "No changes." in capsys.readouterr().out


def test_the_file_can_go_to_the_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    change("get_rows")
    call_command("chat_config", "export", "-")
    [entry] = json.loads(capsys.readouterr().out)["entries"]
    assert (entry["name"], entry["value"]) == ("get_rows", "Reads.")


def test_what_is_wrong_is_said_with_its_path(tmp_path: Path) -> None:
    target = tmp_path / "assistant.json"
    target.write_text('{"format": 1, "entries": [{"kind": "tol", "name": "x", "field": "y", "value": 1}]}')
    with pytest.raises(CommandError, match=r"entries\[0\]\.kind: There is no kind 'tol'\. Did you mean tool\?"):
        call_command("chat_config", "import", str(target))
    assert changed() == []


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        call_command("chat_config", "import", str(tmp_path / "nothing.json"))

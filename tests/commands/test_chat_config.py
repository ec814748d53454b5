"""`manage.py chat_config` exports the configuration of the assistant and imports it elsewhere."""
from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from chat.configuration import Address
from chat.models import ConfigurationChange, Override
from chat.services.configuration.changes import Edit, change_configuration, restore_configuration

pytestmark = pytest.mark.django_db

SHORT = {"description": "Reads."}


def add_override(name: str) -> None:
    change_configuration(user=None, edits=[Edit(Address("tool", name), SHORT)], now=timezone.now())


@pytest.fixture
def exported(tmp_path: Path) -> str:
    """Export a configuration with one override, remove the override and return the path of the file."""
    add_override("get_rows")
    target = tmp_path / "assistant.json"
    call_command("chat_config", "export", str(target))
    restore_configuration(user=None, version=0, now=timezone.now())
    return str(target)


def overridden_names() -> list[str]:
    return sorted(Override.objects.values_list("name", flat=True))


def test_a_dry_run_lists_changes_and_writes_nothing(
    exported: str, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("chat_config", "import", "--dry-run", exported)
    assert "tool get_rows, description: set" in capsys.readouterr().out
    assert overridden_names() == []


def test_an_import_replaces_all_overrides_and_records_the_reason(exported: str) -> None:
    add_override("search_rows")
    call_command("chat_config", "import", "--why", "Release 7", exported)
    assert overridden_names() == ["get_rows"]
    assert ConfigurationChange.objects.order_by("-pk").values_list("why", flat=True)[0] == "Release 7"


def test_only_named_leaves_other_overrides_unchanged(exported: str) -> None:
    add_override("search_rows")
    call_command("chat_config", "import", "--only-named", exported)
    assert overridden_names() == ["get_rows", "search_rows"]


def test_a_second_import_changes_nothing(exported: str, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("chat_config", "import", exported)
    call_command("chat_config", "import", exported)
    assert "No changes." in capsys.readouterr().out


def test_an_export_can_be_written_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    add_override("get_rows")
    call_command("chat_config", "export", "-")
    [entry] = json.loads(capsys.readouterr().out)["entries"]
    assert (entry["name"], entry["value"]) == ("get_rows", "Reads.")


def test_an_invalid_entry_is_reported_with_its_path(tmp_path: Path) -> None:
    target = tmp_path / "assistant.json"
    target.write_text('{"format": 1, "entries": [{"kind": "tol", "name": "x", "field": "y", "value": 1}]}')
    with pytest.raises(CommandError, match=r"entries\[0\]\.kind: There is no kind 'tol'\. Did you mean tool\?"):
        call_command("chat_config", "import", str(target))
    assert overridden_names() == []


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        call_command("chat_config", "import", str(tmp_path / "nothing.json"))

"""docs/architecture.md names existing packages and modules, and every package of the applications."""
from __future__ import annotations

import re

from tests.architecture.tree import ROOT, text_of

PAGE = ROOT / "docs" / "architecture.md"


def named_paths() -> set[str]:
    """Return the paths between backquotes."""
    return set(re.findall(r"`([\w./]+/[\w./]+|static)`", text_of(PAGE)))


def test_every_path_exists() -> None:
    assert [path for path in sorted(named_paths()) if not path.startswith("/") and not (ROOT / path).exists()] == []


def test_every_package_has_a_paragraph() -> None:
    described = set(re.findall(r"\*\*`([\w/]+)`\*\*", text_of(PAGE)))
    packages = {
        f"{app}/{folder.parent.name}"
        for app in ("chat", "shared", "tables")
        for folder in (ROOT / app).glob("*/__init__.py")
        if folder.parent.name not in {"management", "migrations", "templatetags"}
    }
    assert packages | {"accounts", "chatproject"} <= described


def test_every_layer_is_shown() -> None:
    layers = text_of(PAGE).split("```")[1]
    contracts = text_of(ROOT / "pyproject.toml")
    shown = set(re.findall(r"\w+", layers))
    for app in ("chat", "shared", "tables"):
        declared = contracts.split(f'id = "{app}-layers"')[1].split("[[")[0].split("layers = [")[1]
        names = set(re.findall(r"\w+", declared)) - {"apps", "urls", "checks", "management", "templatetags", "signals"}
        assert names - shown == set()

"""The requirements lists are current, pinned with hashes, and contain no URLs."""

from __future__ import annotations

import re

import pytest

from chatproject.management.commands.lock import outdated
from chatproject.startup.bootstrap import DEV, RUN, list_path, pins
from tests.architecture.tree import ROOT, own_files, text_of

# In parts, so that the search does not find this file.
REGISTRIES = [
    rf"\b{host}\.{end}\b"
    for host, end in [
        ("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("npmjs", "com"), ("yarnpkg", "com"),
        ("unpkg", "com"), ("jsdelivr", "net"), ("cdnjs", "com"), ("esm", "sh"), ("skypack", "dev"),
        ("fonts.googleapis", "com"), ("fonts.gstatic", "com"), ("debian", "org/debian"), ("ghcr", "io"),
    ]
]  # fmt: skip


def test_the_lists_match_pyproject() -> None:
    assert outdated(root=ROOT) == [], "run `python3 manage.py lock`"


@pytest.mark.parametrize("name", [RUN, DEV])
def test_every_package_is_pinned_and_hashed(name: str) -> None:
    blocks = re.split(r"\n(?=\S)", list_path(ROOT, name).read_text(encoding="utf-8"))
    packages = [block for block in blocks if not block.startswith("#")]
    unpinned = [block.splitlines()[0] for block in packages if "==" not in block or "--hash=sha256:" not in block]
    assert (len(packages) > 20, unpinned) == (True, [])


@pytest.mark.parametrize("name", [RUN, DEV])
def test_a_list_contains_no_url_and_no_path(name: str) -> None:
    text = list_path(ROOT, name).read_text(encoding="utf-8")
    assert re.findall(r"^.*(?:://|--index|--extra-index|--find-links|--trusted-host| @ ).*$", text, re.MULTILINE) == []


def test_both_lists_pin_the_same_versions() -> None:
    run, dev = (pins(list_path(ROOT, name).read_text(encoding="utf-8")) for name in (RUN, DEV))
    assert {name: version for name, version in run.items() if dev.get(name) != version} == {}


def test_no_file_names_a_package_registry() -> None:
    pattern = re.compile("|".join(REGISTRIES))
    named = [f"{path}: {found[0]}" for path in own_files() if (found := pattern.search(text_of(path)))]
    assert named == []

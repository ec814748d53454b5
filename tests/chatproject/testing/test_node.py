"""Which tests of scripts have a process of their own."""

from __future__ import annotations

from pathlib import Path

from chatproject.testing.node import changes_globals


def test_files_that_change_globals_and_those_that_import_them_run_alone(tmp_path: Path) -> None:
    tests, module = tmp_path / "tests", tmp_path / "module.mjs"
    tests.mkdir()
    module.write_text("globalThis.document;")
    contents = {
        "stub.mjs": "globalThis.document = {};",
        "direct.test.mjs": 'Object.defineProperty(navigator, "onLine", {});',
        "imported.test.mjs": 'import { stub } from "./stub.mjs";',
        "pure.test.mjs": 'import { value } from "../module.mjs";',
    }
    for name, text in contents.items():
        (tests / name).write_text(text)
    assert [name for name in contents if changes_globals(tests / name, tests=tests)] == [*contents][:3]

"""Collection: the files in which pytest finds tests."""
from __future__ import annotations

from pathlib import Path

import pytest


@pytest.mark.parametrize("name", ["tests.py", "tests/test_invoices.py"])
def test_tests_of_an_example_app_are_collected(request: pytest.FixtureRequest, tmp_path: Path, name: str) -> None:
    path = tmp_path / "examples" / "invoices" / name
    path.parent.mkdir(parents=True)
    path.touch()

    collected = request.config.hook.pytest_collect_file(file_path=path, parent=request.session)

    assert [type(each) for each in collected] == [pytest.Module]

"""Garbage collections of a server skip the objects of its start, because they delay streams."""
from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from chatproject.limits.memory import GC_DEFAULT_THRESHOLDS
from tests.chatproject.test_production import ROOT

pytestmark = pytest.mark.slow

# Run in a separate process, because this one contains pytest and all tests.
PROGRAM = """
import gc, json, sys
import chatproject.asgi
tracked = {id(each) for each in gc.get_objects()}
modules = "accounts.views anthropic chat.api chat.catalogue chat.demo_model tables.views tables.services".split()
print(json.dumps({
    "missing": [name for name in modules if name not in sys.modules],
    "tracked": [name for name, module in sys.modules.items() if id(module) in tracked],
    "frozen_count": gc.get_freeze_count(), "tracked_count": len(tracked), "thresholds": gc.get_threshold(),
}))
"""


def test_objects_of_the_server_start_are_frozen() -> None:
    process = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, env=dict(os.environ), capture_output=True, text=True, check=True
    )
    result = json.loads(process.stdout)
    assert result["missing"] == []
    assert result["tracked"] == []
    assert result["frozen_count"] > 100 * result["tracked_count"]
    assert tuple(result["thresholds"]) == GC_DEFAULT_THRESHOLDS

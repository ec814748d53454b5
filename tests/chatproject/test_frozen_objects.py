"""Full collections of garbage hold every stream up: they look at nothing that a server has from its start."""
from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.chatproject.test_production import ROOT

pytestmark = pytest.mark.slow

# In a process of its own, as a server's is: this one holds pytest and all tests as well.
LOOKED_AT = """
import gc, json, sys
import chatproject.asgi
looked_at = {id(each) for each in gc.get_objects()}
rooms = "accounts.views anthropic chat.api chat.catalogue chat.demo_model tables.views tables.services".split()
print(json.dumps({
    "missing": [name for name in rooms if name not in sys.modules],
    "looked_at": [name for name, module in sys.modules.items() if id(module) in looked_at],
    "left_out": gc.get_freeze_count(), "all": len(looked_at),
}))
"""


def test_full_collections_leave_out_all_that_is_there_when_a_server_begins() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOOKED_AT], cwd=ROOT, env=dict(os.environ), capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    assert found["missing"] == []
    assert found["looked_at"] == []
    assert found["left_out"] > 100 * found["all"]

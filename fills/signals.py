"""Signals about fills."""
from __future__ import annotations

from django.dispatch import Signal

# After a worker has worked on a fill for a while: its `sources`, `calls` of the model, `tokens` by kind ("in", "out",
# "cached"), and `results`, the number of answered rows by state.
work_done = Signal()
# After the commit, when workers end with a fill: `fill_id`, `state` ("done", "paused" or "failed"), and
# `notify`: its user asked for a mail.
fill_ended = Signal()

"""The application as servers load it, with the modules that turns need later."""

from __future__ import annotations

from chatproject.application import application
from chatproject.gc_settings import leave_out_what_stays

__all__ = ["application"]

leave_out_what_stays()

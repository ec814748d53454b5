"""What a server loads: the application, and everything that it will need later."""

from __future__ import annotations

from chatproject.application import application
from chatproject.collecting import leave_out_what_stays

__all__ = ["application"]

leave_out_what_stays()

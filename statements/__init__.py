"""Statements by hand, for what is sent so often that putting it together each time costs more than the rest."""
from __future__ import annotations

from statements.compiled import Compiled, Statement, send
from statements.writing import insertion, json_text, update

__all__ = ["Compiled", "Statement", "insertion", "json_text", "send", "update"]

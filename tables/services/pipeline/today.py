"""Which day it is for a proposal whose conditions may speak of days."""
from __future__ import annotations

from datetime import date
from typing import Any

from django.utils import timezone


def today_for(proposal: Any) -> date:
    """The day in the current time zone; without a condition nobody needs to be asked where they live."""
    operations = proposal.get("operations") if isinstance(proposal, dict) else None
    written = operations if isinstance(operations, list) else []
    conditional = any(isinstance(each, dict) and "where" in each for each in written)
    return timezone.localdate() if conditional else timezone.now().date()

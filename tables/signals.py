"""What tables tell others about, inside the transaction that does it; receivers that raise undo it all."""
from __future__ import annotations

from django.dispatch import Signal

# Both get `change`: the tables.models.Change that was taken back, or done again.
change_undone = Signal()
change_redone = Signal()

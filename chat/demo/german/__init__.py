"""The demo model thinks in English; wishes that the pages and it itself offer in German are answered in German."""

from __future__ import annotations

from chat.demo.german.speaking import in_german

__all__ = ["in_german"]

"""How values of columns are drawn in cells."""
from __future__ import annotations

from typing import Literal

# Presentation of a filled cell: text, its first line, a badge, several, a check mark, a time, files, a person with
# initials, or its `link`.
Drawn = Literal["text", "lines", "badge", "badges", "tick", "time", "files", "avatar", "link"]
# Choices in the filter bar: the options of the column, yes and no, the people of the table, or none.
Clicks = Literal["options", "truth", "people", ""]

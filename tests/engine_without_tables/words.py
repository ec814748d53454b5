"""Words of tables, which no text of the engine has."""
from __future__ import annotations

import re

# Also in names, such as `table_id`, but not in HTML attributes, such as `rows=`.
WORDS_OF_TABLES = re.compile(r"(?<![a-z])(tables?|rows?|columns?|spreadsheets?|cells?)(?![a-z])(?!=)", re.I)

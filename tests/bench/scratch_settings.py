"""To be imported before anything that reads settings: a folder and a database of its own for this process."""
from __future__ import annotations

import django

from chatproject.testing.isolation import isolate

isolate()
django.setup()

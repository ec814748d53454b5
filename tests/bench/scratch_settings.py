"""Create a folder and a database for this process; import this before anything that reads settings."""
from __future__ import annotations

import django

from chatproject.testing.isolation import isolate

isolate()
django.setup()

"""The ASGI application: static files in front, Django behind."""
from __future__ import annotations

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "chatproject.settings")
django_application = get_asgi_application()

from chatproject.assets import with_static  # noqa: E402  needs configured settings

application = with_static(django_application)

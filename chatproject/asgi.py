"""The ASGI application: static files in front, Django behind, sockets beside them."""
from __future__ import annotations

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "chatproject.settings")
django_application = get_asgi_application()

# Everything below needs configured settings and loaded apps, so it is imported only now.
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.security.websocket import AllowedHostsOriginValidator  # noqa: E402
from channels.sessions import SessionMiddlewareStack  # noqa: E402

from chatproject.assets import with_static  # noqa: E402
from tables.consumers import websocket_routes  # noqa: E402

# Browsers let any page open a socket anywhere and send the cookies along: only our own pages may.
sockets = AllowedHostsOriginValidator(SessionMiddlewareStack(URLRouter(websocket_routes)))
application = ProtocolTypeRouter({"http": with_static(django_application), "websocket": sockets})

"""The ASGI application: static files, Django, sockets; answers wait for clients that read slowly."""
from __future__ import annotations

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "chatproject.settings")
django_application = get_asgi_application()

# Everything below needs configured settings and loaded apps, so it is imported only now.
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.sessions import SessionMiddlewareStack  # noqa: E402
from django.urls import get_resolver, re_path  # noqa: E402

from chat import consumers as chat_consumers  # noqa: E402
from chatproject.assets import with_static  # noqa: E402
from chatproject.background_tasks import with_watch  # noqa: E402
from chatproject.backpressure import with_pressure  # noqa: E402
from chatproject.body_limits import with_body_limit  # noqa: E402
from chatproject.closed_sockets import with_gone_pages  # noqa: E402
from chatproject.content_types import with_readable_types  # noqa: E402
from chatproject.memory import limit_heaps  # noqa: E402
from chatproject.metrics.receivers import with_counted_sockets  # noqa: E402
from chatproject.socket_limit import with_socket_limit  # noqa: E402
from chatproject.socket_origins import with_own_origin  # noqa: E402
from shared.websockets.close_codes import NotFoundConsumer  # noqa: E402
from tables import consumers as tables_consumers  # noqa: E402

routes = [
    *tables_consumers.websocket_routes,
    *chat_consumers.websocket_routes,
    re_path("", NotFoundConsumer.as_asgi()),
]
own_pages = with_own_origin(SessionMiddlewareStack(URLRouter(routes)))
sockets = with_counted_sockets(with_gone_pages(with_socket_limit(own_pages)))
http = with_pressure(with_static(with_readable_types(with_body_limit(django_application))))
application = with_watch(ProtocolTypeRouter({"http": http, "websocket": sockets}))
limit_heaps()
# Imports all views now, which the first request would do otherwise.
tuple(get_resolver().url_patterns)

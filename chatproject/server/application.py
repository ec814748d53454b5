"""The ASGI application: Django and the sockets, with their wrappers."""
from __future__ import annotations

import os

from chatproject.server.django_handler import request_handler

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "chatproject.settings")
django_application = request_handler()

# These imports need configured settings and loaded apps.
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.sessions import SessionMiddlewareStack  # noqa: E402
from django.urls import get_resolver, re_path  # noqa: E402

from chatproject.limits.body_size import with_body_limit  # noqa: E402
from chatproject.limits.memory import limit_heaps  # noqa: E402
from chatproject.observability.metrics.receivers import with_socket_metrics  # noqa: E402
from chatproject.server.backpressure import with_backpressure  # noqa: E402
from chatproject.server.lifespan import with_lifespan  # noqa: E402
from chatproject.server.request_bodies import with_valid_content_type  # noqa: E402
from chatproject.server.socket_routes import socket_routes  # noqa: E402
from chatproject.server.sockets import with_disconnects_ignored, with_origin_check, with_socket_limit  # noqa: E402
from chatproject.server.static_files import with_static_files  # noqa: E402
from shared.websockets.consumer import NotFoundConsumer  # noqa: E402

routes = [*socket_routes(), re_path("", NotFoundConsumer.as_asgi())]
consumers = with_origin_check(SessionMiddlewareStack(URLRouter(routes)))
sockets = with_socket_metrics(with_disconnects_ignored(with_socket_limit(consumers)))
http = with_backpressure(with_static_files(with_valid_content_type(with_body_limit(django_application))))
application = with_lifespan(ProtocolTypeRouter({"http": http, "websocket": sockets}))
limit_heaps()
# Import all views now, or the first request would wait for that.
tuple(get_resolver().url_patterns)

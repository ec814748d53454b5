"""The AsyncAPI 3 document of the WebSockets, generated from their URLs and the messages that consumers declare."""
from __future__ import annotations

from inspect import cleandoc
from typing import Any

from django.conf import settings
from django.urls import URLPattern

from chatproject.openapi.schema import PARAMETER
from chatproject.server.socket_routes import socket_routes
from shared.events import Event
from shared.rest.openapi import Json
from shared.websockets.consumer import (
    FULL,
    INTERNAL_ERROR,
    MAX_SOCKETS,
    MAX_SOCKETS_OF_USER,
    NOT_FOUND,
    OVERFLOWED,
    REVOKED,
    TOO_MANY,
    AuthenticatedConsumer,
)

DESCRIPTION = (
    "Messages are JSON objects with a `type`. Programs send `Authorization: Bearer …` with the handshake, with a token "
    "of either scope and without an Origin. Pages send the session cookie and their Origin. A handshake with neither "
    "is answered with HTTP 403.\n\n"
    f"Close codes: {NOT_FOUND}: the object does not exist or belongs to another user. {REVOKED}: the session, the "
    f"token or the access is not valid or has ended. {TOO_MANY}: the user has opened more than {MAX_SOCKETS} sockets "
    f"for the same object, or {MAX_SOCKETS_OF_USER} in total, and this is the oldest. {FULL}: the server has too many "
    f"sockets. {OVERFLOWED}: the client did not read its messages in time. {INTERNAL_ERROR}: an error of the server. "
    "1012: the server restarts. After the last four, wait a second or two, connect again and read what has "
    "changed.\n\n"
    "The REST API is described in an OpenAPI document at /api/schema/."
)


def asyncapi_document(*, host: str, secure: bool) -> Json:
    """Return the AsyncAPI document of the server with this host, which is reached by TLS or not."""
    routes = socket_routes()
    messages = {each.__name__: each for route in routes for each in _consumer(route).messages}
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": settings.SITE_NAME,
            "version": "1",
            "description": DESCRIPTION,
            "contact": settings.SPECTACULAR_SETTINGS["CONTACT"],
            "license": {"name": "MIT", "url": "https://spdx.org/licenses/MIT.html"},
            "tags": [{"name": _name(route), "description": _description(route)} for route in routes],
        },
        "defaultContentType": "application/json",
        "servers": {
            "this": {
                "host": host,
                "protocol": "wss" if secure else "ws",
                "description": "This installation.",
                "security": [_ref("securitySchemes", "token"), _ref("securitySchemes", "session")],
            }
        },
        "channels": {_name(route): _channel(route) for route in routes},
        "operations": {f"send_{_name(route)}": _operation(route) for route in routes},
        "components": {
            "messages": {name: _message(each) for name, each in messages.items()},
            "schemas": {name: each.json_schema() for name, each in messages.items()},
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "session": {"type": "httpApiKey", "in": "cookie", "name": settings.SESSION_COOKIE_NAME},
            },
        },
    }


def _channel(route: URLPattern) -> Json:
    consumer = _consumer(route)
    channel: Json = {
        "address": "/" + PARAMETER.sub(r"{\g<name>}", str(route.pattern)),
        "description": _description(route),
        "messages": {each.__name__: _ref("messages", each.__name__) for each in consumer.messages},
    }
    names = [found["name"] for found in PARAMETER.finditer(str(route.pattern))]
    if names:
        channel["parameters"] = {name: {"description": f"The {name.replace('_', ' ')}."} for name in names}
    if consumer.query:
        query = {"type": "object", "properties": consumer.query, "additionalProperties": False}
        channel["bindings"] = {"ws": {"method": "GET", "query": query, "bindingVersion": "0.1.0"}}
    return channel


def _operation(route: URLPattern) -> Json:
    """Return the operation of the server, which sends all messages of a channel and reads none."""
    channel = f"#/channels/{_name(route)}"
    return {
        "action": "send",
        "description": "The server sends these messages, and reads none.",
        "channel": {"$ref": channel},
        "messages": [{"$ref": f"{channel}/messages/{each.__name__}"} for each in _consumer(route).messages],
    }


def _message(event: type[Event]) -> Json:
    return {"name": event.type, "payload": _ref("schemas", event.__name__)}


def _name(route: URLPattern) -> str:
    """Return the name of a channel: `tables` for `ws/tables/<int:table_id>/`."""
    return str(route.pattern).split("/")[1]


def _description(route: URLPattern) -> str:
    return " ".join(cleandoc(_consumer(route).__doc__ or "").split())


def _consumer(route: URLPattern) -> type[AuthenticatedConsumer]:
    consumer: Any = route.callback
    found: type[AuthenticatedConsumer] = consumer.consumer_class
    return found


def _ref(kind: str, name: str) -> Json:
    return {"$ref": f"#/components/{kind}/{name}"}

"""The API documentation: the OpenAPI and AsyncAPI documents, a page without scripts, and Swagger UI."""
from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat.exceptions import WrongMethod
from chatproject.openapi.asyncapi import asyncapi_document
from chatproject.openapi.document import document
from shared import strictjson
from shared.rest.openapi import OBJECT, TEXT
from shared.user_messages.request_messages import ONLY_METHOD

Json = dict[str, Any]
METHODS = ("get", "post", "put", "patch", "delete")


class SchemaView(APIView):
    """`/api/schema/`"""

    permission_classes = ()

    @extend_schema(responses={200: OBJECT})
    def get(self, request: Request) -> Response:
        """Get this document."""
        return Response(document())


class AsyncApiView(APIView):
    """`/api/asyncapi/`"""

    permission_classes = ()

    @extend_schema(responses={200: OBJECT})
    def get(self, request: Request) -> Response:
        """Get the AsyncAPI document of the WebSockets."""
        return Response(asyncapi_document(host=request.get_host(), secure=request.is_secure()))


@extend_schema(auth=[], responses={(200, "text/html"): TEXT})
def docs(request: HttpRequest) -> HttpResponse:
    """Get this document as a web page."""
    if request.method not in ("GET", "HEAD"):
        raise WrongMethod(ONLY_METHOD(method="GET"), extra={"allow": "GET, HEAD"})
    openapi = document()
    groups = [{"name": tag["name"], "operations": _operations(openapi, tag=tag["name"])} for tag in openapi["tags"]]
    shapes = [{"name": name, "text": _text(schema)} for name, schema in openapi["components"]["schemas"].items()]
    context = {"paragraphs": openapi["info"]["description"].split("\n\n"), "groups": groups, "shapes": shapes}
    return render(request, "api_docs.html", context)


docs.allowed_methods = ("GET", "HEAD")  # type: ignore[attr-defined]  # an attribute of our own


@login_required
@require_safe
@ensure_csrf_cookie
def explorer(request: HttpRequest) -> HttpResponse:
    """Swagger UI, which sends requests with the session of the signed-in user."""
    return render(request, "api_explorer.html")


def _operations(openapi: Json, *, tag: str) -> list[Json]:
    return [
        {
            "method": method.upper(),
            "path": path,
            "summary": operation["summary"],
            "parameters": [each for each in operation.get("parameters", []) if each["in"] != "path"],
            "body": _body(operation),
            "example": _example(operation),
            "responses": [
                {"status": status, "text": _schema_text(response)}
                for status, response in operation["responses"].items()
                if status.isdigit()
            ],
        }
        for path, methods in openapi["paths"].items()
        for method, operation in methods.items()
        if method in METHODS and tag in operation["tags"]
    ]


def _body(operation: Json) -> str:
    return _schema_text(operation.get("requestBody", {}))


def _example(operation: Json) -> str:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    return "\n".join(strictjson.dumps(example["value"]) for example in content.get("examples", {}).values())


def _schema_text(part: Json) -> str:
    return next((_text(content["schema"]) for content in part.get("content", {}).values()), "")


def _text(schema: Json) -> str:
    """Return a schema in a short form: `{"id": integer, "name"?: string}`."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    for key, word in (("anyOf", " | "), ("oneOf", " | "), ("allOf", " & ")):
        if key in schema:
            return word.join(_text(each) for each in schema[key])
    if "const" in schema:
        return f"“{schema['const']}”"
    if "enum" in schema:
        return " | ".join(f"“{each}”" for each in schema["enum"])
    if schema.get("type") == "array":
        return f"[{_text(schema['items'])}, …]"
    if schema.get("properties"):
        needed = schema.get("required", ())
        fields = (f"{key}{'' if key in needed else '?'}: {_text(each)}" for key, each in schema["properties"].items())
        return "{" + ", ".join(fields) + "}"
    return str(schema.get("type", "anything"))

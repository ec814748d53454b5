"""Endpoints of payloads, and of previews, reviews and decisions of proposals."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat.api import schemas
from chat.api.query import (
    check_parameters,
    json_object,
    offset_and_limit,
    read_request,
    read_with_body,
    text_parameter,
)
from chat.api.representations import payload_json, review_json
from chat.exceptions import Invalid, Malformed
from chat.proposals import STATES
from chat.selectors import get_payload, operations_of
from chat.services import (
    PreparedApply,
    apply_payload,
    check_review,
    dismiss_payload,
    get_review,
    next_step_json,
    prepare_apply,
    preview_payload,
    preview_with_review,
    save_review,
    undo_payload,
    with_keys,
)
from chat.turns.request import MAX_FAULTS, read_together
from shared import strictjson
from shared.rest.before_transaction import result_before_transaction, run_before_transaction
from shared.rest.openapi import OFFSET, enum, example, json_body, limit, query, ref
from shared.rest.paging import next_page_url
from shared.rest.preconditions import BAD_IF_MATCH, if_match, read_if_match
from shared.rest.serializers import EmptyBody
from shared.user_messages import CodedError, declare
from shared.user_messages.errors import read_all
from shared.user_messages.rendering import localize_preview
from shared.user_messages.request_language import is_api_client, reader_language
from shared.user_messages.request_messages import BOOLEAN_NEEDED, ONE_OF

Json = dict[str, Any]

# The code of errors about versions, of whichever type of proposal.
OUTDATED = "version_moved"
TWO_VERSIONS = declare("two_versions", "This is another version than in If-Match.")
EDITS_AND_REVIEW = declare("edits_and_review", "Leave this out: with review, the stored edits are used.")
KEYS = query(
    "keys", {**enum("name", "id"), "default": "name"}, "Whether the fields of objects are keyed by names or ids."
)
OPERATION_LIST = [
    OFFSET,
    limit(500, default=100),
    query("status", enum(*STATES), "Only operations with this state in a preview."),
    KEYS,
]


class PayloadDetail(APIView):
    """/api/chat/payloads/{id}/"""

    @extend_schema(responses={200: ref("Payload")})
    def get(self, request: Request, payload_id: str) -> Response:
        """Get a payload."""
        check_parameters(request)
        payload = get_payload(request.user, payload_id)
        with reader_language(request):
            return Response(payload_json(payload))


class PayloadOperations(APIView):
    """/api/chat/payloads/{id}/operations/"""

    @extend_schema(parameters=OPERATION_LIST, responses={200: schemas.OPERATIONS})
    def get(self, request: Request, payload_id: str) -> Response:
        """List the operations of a proposal."""
        _, (offset, size), state, keyed_by = read_together(
            lambda: check_parameters(request, OPERATION_LIST),
            lambda: offset_and_limit(request, OPERATION_LIST),
            lambda: _state(request),
            lambda: _keyed_by(request),
        )
        payload = get_payload(request.user, payload_id)
        operations = operations_of(payload)
        if state is not None:
            preview = preview_payload(user=request.user, payload_id=payload_id, choice={"operations": "all"})
            # A preview for the type's own drawing may have no operations, or operations without states.
            entries = preview.get("operations", [])
            indexes = {entry.get("index") for entry in entries if entry.get("state") == state}
            operations = [operation for index, operation in enumerate(operations) if index in indexes]
        page = with_keys({"operations": operations[offset : offset + size]}, payload=payload, keyed_by=keyed_by)
        return Response(
            {
                **page,
                "count": len(operations),
                "next": next_page_url(request, shown=offset + size, count=len(operations)),
            }
        )


class PayloadPreview(APIView):
    """/api/chat/payloads/{id}/preview/"""

    @extend_schema(
        request=json_body(ref("PreviewChoice")),
        parameters=[KEYS],
        responses={200: ref("Preview")},
        examples=[example({"operations": "all"})],
    )
    def post(self, request: Request, payload_id: str) -> Response:
        """Preview the effects of applying this choice now; with review, with the edits of the stored review."""
        with _version_faults(request, payload_id):
            _, keyed_by, choice, with_review = read_with_body(
                lambda: check_parameters(request, [KEYS]),
                lambda: _keyed_by(request),
                lambda: json_object(request),
                lambda: _with_review(request.data),
                check=lambda: _check_choice(request, payload_id),
            )
            choice.pop("review", None)
            shown: Json = {"user": request.user, "payload_id": payload_id, "keyed_by": keyed_by}
            if with_review:
                preview = preview_with_review(**shown, choice=choice)
                preview["review"] = review_json(preview["review"])
            else:
                preview = preview_payload(**shown, choice=choice)
        if is_api_client(request):
            return Response(preview)
        with reader_language(request):
            return Response(localize_preview(preview))


class PayloadReview(APIView):
    """/api/chat/payloads/{id}/review/"""

    @extend_schema(responses={200: ref("Review")})
    def get(self, request: Request, payload_id: str) -> Response:
        """Get the stored review of a pending proposal; revision 0 if nothing is stored."""
        check_parameters(request)
        return Response(review_json(get_review(user=request.user, payload_id=payload_id)))

    @extend_schema(
        request=json_body(ref("ReviewChanges")),
        responses={200: ref("Review")},
        examples=[example({"unchecked": {"2": True}, "edits": {"0": {"Company": "Acme"}}})],
    )
    def patch(self, request: Request, payload_id: str) -> Response:
        """Change the stored review; null removes an entry or a setting. Operations are given by their index."""
        target: Json = {"user": request.user, "payload_id": payload_id}
        _, changes = read_with_body(
            lambda: check_parameters(request),
            lambda: json_object(request),
            check=lambda: check_review(**target, changes=request.data),
        )
        review = save_review(**target, changes=changes, now=timezone.now())
        return Response(review_json(review))


class PayloadApply(APIView):
    """/api/chat/payloads/{id}/apply/"""

    @if_match("object of the proposal")
    @extend_schema(
        request=json_body(ref("Apply")),
        responses={200: schemas.SETTLED},
        examples=[example({"operations": [0, 2, 3]})],
    )
    def post(self, request: Request, payload_id: str) -> HttpResponse:
        """Apply the chosen operations of a proposal. It can be applied only once.

        `version` is the same as `If-Match`: that of the proposal's object. Types of proposals without versions refuse
        it.
        """
        with _version_faults(request, payload_id):
            payload, applied = apply_payload(
                user=request.user,
                payload_id=payload_id,
                choice=_versioned_choice(request, payload_id),
                now=timezone.now(),
                prepared=result_before_transaction(request),
            )
        body = {
            "id": str(payload.pk),
            "status": payload.status,
            "content_hash": payload.content_hash,
            "moved_to": applied.moved_to,
            "moved_to_page": applied.moved_to_page,
            "next": next_step_json(payload),
        }
        content = strictjson.dumps_with_members(body, outcome=applied.outcome_text)
        return HttpResponse(content, content_type="application/json")

    @classmethod
    def before_transaction(cls, request: HttpRequest) -> None:
        """Prepare the apply without the lock that the transaction of an Idempotency-Key holds."""
        run_before_transaction(cls, request, read=cls._prepared)

    @staticmethod
    def _prepared(request: Request, *, payload_id: str) -> PreparedApply:
        choice = _versioned_choice(request, payload_id)
        return prepare_apply(user=request.user, payload_id=payload_id, choice=choice)


class PayloadUndo(APIView):
    """/api/chat/payloads/{id}/undo/"""

    @extend_schema(request=EmptyBody, responses={200: schemas.DISMISSED})
    def post(self, request: Request, payload_id: str) -> Response:
        """Undo an applied proposal.

        409 if something has changed since. If its outcome has an `undo_url`, that also accepts a decision about this.
        """
        read_request(request, form=EmptyBody)
        payload = undo_payload(user=request.user, payload_id=payload_id, now=timezone.now())
        return Response({"id": str(payload.pk), "status": payload.status})


class PayloadDismiss(APIView):
    """/api/chat/payloads/{id}/dismiss/"""

    @extend_schema(request=EmptyBody, responses={200: schemas.DISMISSED})
    def post(self, request: Request, payload_id: str) -> Response:
        """Dismiss a proposal."""
        read_request(request, form=EmptyBody)
        payload = dismiss_payload(user=request.user, payload_id=payload_id, now=timezone.now())
        return Response({"id": str(payload.pk), "status": payload.status})


def _keyed_by(request: Request) -> str:
    """Return the value of `keys`. Raises Malformed."""
    keyed_by = text_parameter(request, "keys")
    if keyed_by not in (None, "name", "id"):
        raise Malformed(ONE_OF(names=("name", "id")), code="unknown_value", path="keys")
    return keyed_by or "name"


def _check_choice(request: Request, payload_id: str) -> None:
    """Raise the faults of the choice in a body, but those of the operations only with another version."""
    if isinstance(request.data, dict):
        choice = {name: value for name, value in request.data.items() if name != "review"}
        with suppress(ValueError):
            version = read_if_match(request)
            choice = choice if version is None else {"version": version, **choice}
        preview_payload(user=request.user, payload_id=payload_id, choice=choice)


@contextmanager
def _version_faults(request: Request, payload_id: str) -> Iterator[None]:
    """Give the faults of versions the path of the body if they are not in `If-Match`.

    An error about the form of the choice also gets the fault of the version, which is compared only afterwards.
    """
    where = "If-Match" if "If-Match" in request.headers else "version"
    try:
        yield
    except CodedError as error:
        error.faults = tuple(
            replace(fault, path=where) if getattr(fault, "path", "") == "If-Match" else fault for fault in error.faults
        )
        is_named = any(fault.as_json()["path"] == where for fault in error.faults) or error.path == where
        is_malformed = isinstance(error, Malformed) or error.code == Malformed.code
        outdated = _outdated(request, payload_id) if is_malformed and not is_named else None
        if outdated is None:
            raise
        outdated.path, outdated.faults = where, ()
        read_all(partial(_raise, error), partial(_raise, outdated), errors=CodedError, most=MAX_FAULTS)


def _raise(error: CodedError) -> None:
    raise error


def _outdated(request: Request, payload_id: str) -> CodedError | None:
    """Return the error if the proposal's object has another version than `If-Match` or the body names."""
    version = request.data.get("version") if isinstance(request.data, dict) else None
    with suppress(ValueError):
        named = read_if_match(request)
        version = version if named is None else named
    if type(version) is not int:
        return None
    try:
        preview_payload(
            user=request.user, payload_id=payload_id, choice={"operations": "all", "version": version}
        )
    except CodedError as error:
        # Operations can have versions of their own.
        is_of_object = not error.faults or any(getattr(fault, "path", "") == "If-Match" for fault in error.faults)
        return error if error.code == OUTDATED and is_of_object else None
    return None


def _versioned_choice(request: Request, payload_id: str) -> Json:
    """Return the choice in a body, with the version in `If-Match`. Raises Malformed, Invalid with all faults."""
    _, choice, _ = read_with_body(
        lambda: check_parameters(request),
        lambda: json_object(request),
        lambda: _check_versions(request),
        check=lambda: _check_choice(request, payload_id),
    )
    version = read_if_match(request)
    return choice if version is None else {**choice, "version": version}


def _check_versions(request: Request) -> None:
    """Raise Malformed for an unreadable version in `If-Match`, and Invalid for another one than in the body."""
    try:
        version = read_if_match(request)
    except ValueError:
        raise Malformed(BAD_IF_MATCH(), code="bad_if_match", path="If-Match") from None
    named = request.data.get("version", version) if isinstance(request.data, dict) else version
    if version is not None and type(named) is int and named != version:
        raise Invalid(TWO_VERSIONS(), code="two_versions", path="version")


def _state(request: Request) -> str | None:
    """Return the state to filter operations by, None for all. Raises Malformed."""
    state = text_parameter(request, "status")
    if state is not None and state not in STATES:
        raise Malformed(ONE_OF(names=STATES), path="status")
    return state


def _with_review(choice: Any) -> bool:
    """Return whether the choice has the edits of the stored review. Raises Malformed."""
    review = choice.get("review", False) if isinstance(choice, dict) else False
    if not isinstance(review, bool):
        raise Malformed(BOOLEAN_NEEDED(), code="not_a_boolean", path="review")
    if review and "edits" in choice:
        raise Malformed(EDITS_AND_REVIEW(), code="edits_and_review", path="edits")
    return review

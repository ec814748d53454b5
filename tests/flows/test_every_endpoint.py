"""Every URL, every method, every kind of client: objects of other users do not exist."""
from __future__ import annotations

import json
from typing import Any

import pytest
from django.apps import apps

from chatproject.server.application import routes
from tests.flows.addresses import (
    INNER,
    METHODS,
    OWNED,
    OWNING,
    PERSONAL,
    PUBLIC,
    READING,
    SOCKETS,
    admin_urls,
    all_urls,
    route_of,
)  # fmt: skip
from tests.flows.isolation_world import PART, World, rolled_back

pytestmark = pytest.mark.slow

Json = dict[str, Any]
WRITING = ("POST", "PUT", "PATCH", "DELETE")
OF_THE_TABLE = {name for name in OWNED if "table_id" in route_of(name)}
ABOUT_A_TABLE = OF_THE_TABLE | {"chat_stream", "chat_action"}
INSIDE = {name for name in OF_THE_TABLE if set(PART.findall(route_of(name))) & set(INNER)}
# What is closed to editors of the configuration is closed to staff with fewer rights, too.
STRANGERS = ("anonymous", "other user", "token of another user", "configuration editor")
MEMBERS = ("viewer", "editor")
# Streams outlive the transaction of a test: test_isolation_of_streams.py requests them on a real server.
# Files of tables are written on another connection, outside of the test's transaction: tests/tables/exporting/.
STREAMS = {("chat_stream", "POST"), ("chat_turn_stream", "GET"), ("api_events", "GET"), ("api_export", "GET"),
           ("table_export", "GET")}  # fmt: skip
# Secrets are for users only; diagnostics of turns require their own permission.
NOT_FOR_TOKENS = {"api_tokens", "api_token"}
NOT_FOR_OWNERS = {"chat_turn_trace"}
PASSWORD_REQUIRED = {"mfa_edit_webauthn", "mfa_remove_webauthn"}
# Links of notices, which lead to a page.
REDIRECTING = {"review_fill"}
# Allowed responses about inaccessible objects: to anonymous clients, and to other users.
UNNAMED = (302, 401, 405)
NOTHING = (200, 302, 403, 404, 405)  # 200: OPTIONS, and pages that know no ids
OF_THE_REQUEST = (
    *("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "x-request-id", "set-cookie", "expires"),
)


def is_api(name: str) -> bool:
    return route_of(name).startswith("api/")


def comparable(response: Any) -> Any:
    """Return a response without what belongs to the request: its id, its limits, its time, its own URL."""
    path = response.request["PATH_INFO"]
    body = response.content.decode().replace(path, "…")
    if response.headers["Content-Type"] == "application/json" and body.startswith("{"):
        body = {key: value for key, value in json.loads(body).items() if key != "request_id"}
    headers = {key: value for key, value in response.headers.items() if key.lower() not in OF_THE_REQUEST}
    return response.status_code, body, {key: value.replace(path, "…") for key, value in headers.items()}


def actors_without_access(name: str, method: str) -> tuple[str, ...]:
    """Return the actors that may not use the URL with this method. Members share only the table."""
    if (name, method) in STREAMS:
        return ("anonymous",)
    if method in ("HEAD", "OPTIONS"):
        # Django answers HEAD with the view of GET, and OPTIONS without looking up the object.
        return ("anonymous", "other user")
    return STRANGERS if name in ABOUT_A_TABLE else (*STRANGERS, *MEMBERS)


def test_every_url_is_classified() -> None:
    assert {name for name, _ in all_urls()} ^ (PUBLIC | PERSONAL | OWNED) == set()
    # The last route matches all other paths and refuses them.
    assert {str(route.pattern) for route in routes} == SOCKETS | {""}


@pytest.mark.parametrize("name", sorted(OWNED))
def test_inaccessible_object_gets_the_same_response_as_a_missing_one(world: World, name: str) -> None:
    for method in METHODS:
        for actor in actors_without_access(name, method):
            inaccessible, missing = (world.request(actor, name, method, ids=ids) for ids in (world.ids, {}))
            assert comparable(inaccessible) == comparable(missing), (method, actor)
            assert inaccessible.status_code in (UNNAMED if actor == "anonymous" else NOTHING), (method, actor)
            if actor == "other user" and inaccessible.status_code == 405:
                break  # the URL does not have the method, for any actor

    assert world.snapshot() == world.stored


@pytest.mark.parametrize("name", sorted(INSIDE))
def test_own_table_does_not_give_access_to_parts_of_others(world: World, name: str) -> None:
    of_ada = {key: world.ids[key] for key in INNER}

    for method in METHODS:
        foreign, missing = (
            world.request("other user", name, method, ids={**world.graces, **inner}) for inner in (of_ada, {})
        )
        assert comparable(foreign) == comparable(missing), method

    assert world.snapshot() == world.stored


@pytest.mark.parametrize("path", ["/api/tables/?trashed=true", "/api/tokens/", "/api/chat/conversations/"])
@pytest.mark.parametrize("actor", ["staff without permissions", "configuration editor"])
def test_lists_contain_no_objects_of_others(world: World, path: str, actor: str) -> None:
    shown = world.actors[actor].get(path).json()
    assert [value for value in shown.values() if isinstance(value, list) and value] == []


@pytest.mark.parametrize("name", sorted(OF_THE_TABLE | {name for name in OWNED | PERSONAL if is_api(name)}))
def test_member_may_do_what_the_role_allows_and_a_write_token_what_its_user_may(world: World, name: str) -> None:
    if name == "api_restore":
        world.request("owner", "api_table", "DELETE", ids=world.ids)
    actors = ["owner", *(("write token",) if is_api(name) else ()), *(MEMBERS if name in OF_THE_TABLE else ())]

    # Forms of pages are tested in tests/tables/test_sharing.py.
    for method in ("GET", *WRITING) if is_api(name) else ("GET",):
        if (name, method) in STREAMS:
            continue
        statuses = {}
        for actor in actors:
            with rolled_back():
                statuses[actor] = world.request(actor, name, method, ids=world.ids).status_code
            if statuses["owner"] == 405:
                break  # the URL does not have the method, for any actor
        else:
            check_rights(name, method, statuses=statuses)


def check_rights(name: str, method: str, *, statuses: dict[str, int]) -> None:
    """Assert that actors got responses other than 403 and 404 exactly if they may use the method of the URL."""
    mays = {"viewer": (name, method) in READING, "editor": (name, method) not in OWNING, "owner": True}
    for actor in [actor for actor in mays if name in OF_THE_TABLE]:
        assert (statuses[actor] not in (403, 404)) is mays[actor] or statuses[actor] == 405, (method, statuses)
    if is_api(name):
        assert statuses["write token"] == (403 if name in NOT_FOR_TOKENS else statuses["owner"]), (method, statuses)


@pytest.mark.parametrize("name", sorted(OWNED | PERSONAL))
def test_read_token_changes_nothing(world: World, name: str) -> None:
    for method in WRITING:
        answer = world.request("read token", name, method, ids=world.ids)
        if is_api(name):
            assert (answer.status_code, answer.json()["error"]) == (403, "read_only_token"), method
        else:
            assert answer.status_code in (302, 405), method

    assert world.snapshot() == world.stored


@pytest.mark.parametrize("name", sorted(OWNED - NOT_FOR_OWNERS - {name for name, _ in STREAMS}))
def test_owner_finds_the_object(world: World, name: str) -> None:
    # Changing a passkey requires the password again.
    expected = (302,) if name in PASSWORD_REQUIRED or name in REDIRECTING else (200, 405)
    assert world.request("owner", name, "GET", ids=world.ids).status_code in expected


@pytest.mark.parametrize("name", sorted(PERSONAL))
def test_anonymous_client_is_refused(world: World, name: str) -> None:
    for method in METHODS:
        assert world.request("anonymous", name, method, ids={}).status_code in UNNAMED, method


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_public_url_fails_for_no_client(world: World, name: str) -> None:
    for actor in ("anonymous", "owner", "staff without permissions", "read token"):
        for method in METHODS if actor == "anonymous" else ("GET", "POST"):
            status = world.request(actor, name, method, ids={}).status_code
            assert status in (200, 302, 400, 403, 404, 405, 410, 422, 429), (method, actor)


ADMIN = [(name, route) for name, route in admin_urls() if "(?P" not in route and name not in ("login", "logout")]
OPEN_TO_STAFF = {"index", "password_change", "password_change_done", "jsi18n"}
# The prompt configuration and the statistics: all that an editor of the configuration may open.
CONFIGURATION = ("chat_override_changelist", "chat_configuration_", "chat_figures_changelist")
WITHOUT_RIGHTS = ("anonymous", "other user", "staff without permissions", "configuration editor")


@pytest.mark.parametrize("actor", WITHOUT_RIGHTS)
def test_admin_is_closed_without_permissions(world: World, actor: str) -> None:
    for name, route in ADMIN:
        # What is closed to editors of the configuration is closed to staff with fewer rights, too.
        is_configuration = name.startswith(CONFIGURATION)
        if actor == ("configuration editor" if is_configuration else "staff without permissions"):
            continue
        for method in ("GET", "POST"):
            seen = []
            for some_id in ids_for(route):
                path = "/" + PART.sub(str(some_id), route)
                answer = world.actors[actor].generic(method, path)
                seen.append((answer.status_code, answer.headers.get("Location", "").replace(path, "…")))
            assert seen == [seen[-1]] * len(seen), (name, method)
            assert seen[-1][0] in (302, 403, 404, 405) or name in OPEN_TO_STAFF, (name, method)

    assert world.snapshot() == world.stored


def ids_for(route: str) -> list[Any]:
    """Return the id of an existing object for a URL of the admin, if there is one, and an unknown id."""
    missing = 10**9
    app, _, model = route.removeprefix("admin/").partition("/")
    if "<" not in route or app not in apps.app_configs or "/" not in model:
        return [missing]
    found = apps.get_model(app, model.split("/")[0])._default_manager.first()
    return [missing] if found is None else [found.pk, missing]


def test_admin_urls_refer_to_existing_objects(world: World) -> None:
    assert len([route for _, route in ADMIN if len(ids_for(route)) == 2]) > 10


@pytest.mark.parametrize("actor", ["staff without permissions", "configuration editor"])
def test_admin_index_lists_only_permitted_models(world: World, actor: str) -> None:
    client = world.actors[actor]
    named = [model["name"] for app in client.get("/admin/").context["app_list"] for model in app["models"]]
    assert named == (["Assistant configuration", "Assistant statistics"] if actor == "configuration editor" else [])
    for app in ("accounts", "auth", "tables", "admin"):
        assert client.get(f"/admin/{app}/").status_code == 404, app

"""Every address, by every method, for everybody who might try: what is not yours is as if it were not there."""
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
    admin_addresses,
    every_address,
    route_of,
)  # fmt: skip
from tests.flows.isolation_world import PART, World, taken_back

pytestmark = pytest.mark.slow

Json = dict[str, Any]
WRITING = ("POST", "PUT", "PATCH", "DELETE")
OF_THE_TABLE = {name for name in OWNED if "table_id" in route_of(name)}
ABOUT_A_TABLE = OF_THE_TABLE | {"chat_stream", "chat_action"}
INSIDE = {name for name in OF_THE_TABLE if set(PART.findall(route_of(name))) & set(INNER)}
STRANGERS = ("nobody", "another person", "another person's token", "staff without rights", "who tunes the assistant")
MEMBERS = ("a viewer", "an editor")
# Streams outlive the transaction of a test: they are asked at a real server, in test_isolation_of_streams.py.
# Files of tables are made on a connection of their own, which sees no transaction of a test: tests/tables/exporting/.
STREAMS = {("chat_stream", "POST"), ("chat_turn_stream", "GET"), ("api_export", "GET"), ("table_export", "GET")}
# Their secrets are for people alone; the diagnostics of turns want a permission of their own.
NOT_FOR_TOKENS = {"api_tokens", "api_token"}
NOT_FOR_OWNERS = {"chat_turn_trace"}
ASKING_AGAIN = {"mfa_edit_webauthn", "mfa_remove_webauthn"}
# What may be answered about what is not there: to who is not signed in, and to others.
UNNAMED = (302, 401, 405)
NOTHING = (200, 302, 403, 404, 405)  # 200: OPTIONS and pages that know no ids describe themselves
OF_THE_REQUEST = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "x-request-id", "set-cookie")


def told(response: Any) -> Any:
    """All that an answer tells, but for what belongs to the request: its id, its limits, its own address."""
    path = response.request["PATH_INFO"]
    body = response.content.decode().replace(path, "…")
    if response.headers["Content-Type"] == "application/json" and body.startswith("{"):
        body = {key: value for key, value in json.loads(body).items() if key != "request_id"}
    kept = {key: value for key, value in response.headers.items() if key.lower() not in OF_THE_REQUEST}
    return response.status_code, body, {key: value.replace(path, "…") for key, value in kept.items()}


def askers_of(name: str, method: str) -> tuple[str, ...]:
    """Return who may not use the address with this method. Members share the table and nothing else."""
    if (name, method) in STREAMS:
        return ("nobody",)
    if method in ("HEAD", "OPTIONS"):
        # Django answers HEAD with the view of GET, and OPTIONS without asking for the object.
        return ("nobody", "another person")
    return STRANGERS if name in ABOUT_A_TABLE else (*STRANGERS, *MEMBERS)


def test_every_address_is_known_to_belong_to_somebody() -> None:
    assert {name for name, _ in every_address()} ^ (PUBLIC | PERSONAL | OWNED) == set()
    # The last of them takes what no other takes, and refuses it.
    assert {str(route.pattern) for route in routes} == SOCKETS | {""}


@pytest.mark.parametrize("name", sorted(OWNED))
def test_what_is_not_yours_answers_like_what_is_not_there(world: World, name: str) -> None:
    before = world.picture()

    for method in METHODS:
        for who in askers_of(name, method):
            theirs, missing = (world.ask(who, name, method, ids=ids) for ids in (world.ids, {}))
            assert told(theirs) == told(missing), (method, who)
            assert theirs.status_code in (UNNAMED if who == "nobody" else NOTHING), (method, who)

    assert world.picture() == before


@pytest.mark.parametrize("name", sorted(INSIDE))
def test_in_a_table_of_ones_own_there_is_nothing_of_anothers(world: World, name: str) -> None:
    before = world.picture()
    of_ada = {key: world.ids[key] for key in INNER}

    for method in METHODS:
        foreign, missing = (
            world.ask("another person", name, method, ids={**world.graces, **inner}) for inner in (of_ada, {})
        )
        assert told(foreign) == told(missing), method

    assert world.picture() == before


@pytest.mark.parametrize("path", ["/api/tables/?trashed=true", "/api/tokens/", "/api/chat/conversations/"])
@pytest.mark.parametrize("who", ["staff without rights", "who tunes the assistant"])
def test_lists_hold_nothing_of_others(world: World, path: str, who: str) -> None:
    shown = world.actors[who].get(path).json()
    assert [value for value in shown.values() if isinstance(value, list) and value] == []


@pytest.mark.parametrize("name", sorted(OF_THE_TABLE))
def test_a_member_may_do_what_the_role_allows(world: World, name: str) -> None:
    if name == "api_restore":
        world.ask("the owner", "api_table", "DELETE", ids=world.ids)

    # What forms on pages do is asked for in tests/tables/test_sharing.py.
    for method in ("GET", *WRITING) if route_of(name).startswith("api/") else ("GET",):
        if (name, method) in STREAMS:
            continue
        mays = {"a viewer": (name, method) in READING, "an editor": (name, method) not in OWNING, "the owner": True}
        for who, may in mays.items():
            with taken_back():
                status = world.ask(who, name, method, ids=world.ids).status_code
            assert status == 405 or (status not in (403, 404)) is may, (method, who, status)


@pytest.mark.parametrize("name", sorted(OWNED | PERSONAL))
def test_a_token_for_reading_changes_nothing(world: World, name: str) -> None:
    before = world.picture()

    for method in WRITING:
        status = world.ask("a token for reading", name, method, ids=world.ids).status_code
        assert status in ((403,) if route_of(name).startswith("api/") else (302, 405)), method

    assert world.picture() == before


@pytest.mark.parametrize("name", sorted(name for name in OWNED | PERSONAL if route_of(name).startswith("api/")))
def test_a_token_for_writing_does_what_its_person_may(world: World, name: str) -> None:
    for method in METHODS:
        if (name, method) in STREAMS:
            continue
        statuses = []
        for who in ("the owner", "a token for writing"):
            with taken_back():
                statuses.append(world.ask(who, name, method, ids=world.ids).status_code)
        if name in NOT_FOR_TOKENS:
            assert statuses[1] in (403, 405) or method == "OPTIONS", method
        else:
            assert statuses[0] == statuses[1], method


@pytest.mark.parametrize("name", sorted(OWNED - NOT_FOR_OWNERS - {name for name, _ in STREAMS}))
def test_its_owner_finds_it(world: World, name: str) -> None:
    # A change of a passkey asks for it first.
    expected = (302,) if name in ASKING_AGAIN else (200, 405)
    assert world.ask("the owner", name, "GET", ids=world.ids).status_code in expected


@pytest.mark.parametrize("name", sorted(PERSONAL))
def test_nobody_is_let_in_unnamed(world: World, name: str) -> None:
    for method in METHODS:
        assert world.ask("nobody", name, method, ids={}).status_code in UNNAMED, method


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_what_is_open_to_all_breaks_for_nobody(world: World, name: str) -> None:
    for who in ("nobody", "the owner", "staff without rights", "a token for reading", "a token for writing"):
        for method in METHODS:
            status = world.ask(who, name, method, ids={}).status_code
            assert status in (200, 302, 400, 403, 404, 405, 410, 422, 429), (method, who)


ADMIN = [(name, route) for name, route in admin_addresses() if "(?P" not in route and name not in ("login", "logout")]
OPEN_TO_STAFF = {"index", "password_change", "password_change_done", "jsi18n"}
# What the assistant is told and may do, and its figures: all that there is for who tunes it.
OF_WORDS = ("chat_override_changelist", "chat_configuration_", "chat_figures_changelist")
WITHOUT_RIGHTS = ("nobody", "another person", "a token for writing", "staff without rights", "who tunes the assistant")


@pytest.mark.parametrize("who", WITHOUT_RIGHTS)
def test_the_admin_shows_nothing_to_who_has_no_rights(world: World, who: str) -> None:
    before = world.picture()

    for name, route in ADMIN:
        if who == "who tunes the assistant" and name.startswith(OF_WORDS):
            continue
        for method in ("GET", "POST"):
            seen = []
            for some_id in ids_for(route):
                path = "/" + PART.sub(str(some_id), route)
                answer = world.actors[who].generic(method, path)
                seen.append((answer.status_code, answer.headers.get("Location", "").replace(path, "…")))
            assert seen == [seen[-1]] * len(seen), (name, method)
            assert seen[-1][0] in (302, 403, 404, 405) or name in OPEN_TO_STAFF, (name, method)

    assert world.picture() == before


def ids_for(route: str) -> list[Any]:
    """Return the id of an object that the admin's route is about, where there is one, and an id of none."""
    missing = 10**9
    app, _, model = route.removeprefix("admin/").partition("/")
    if "<" not in route or app not in apps.app_configs or "/" not in model:
        return [missing]
    found = apps.get_model(app, model.split("/")[0])._default_manager.first()
    return [missing] if found is None else [found.pk, missing]


def test_the_admin_has_addresses_of_objects_that_exist(world: World) -> None:
    assert len([route for _, route in ADMIN if len(ids_for(route)) == 2]) > 10


@pytest.mark.parametrize("who", ["staff without rights", "who tunes the assistant"])
def test_the_admins_front_page_names_nothing_that_is_not_theirs(world: World, who: str) -> None:
    client = world.actors[who]
    named = [model["name"] for app in client.get("/admin/").context["app_list"] for model in app["models"]]
    assert named == (["Assistant configuration", "Assistant statistics"] if who == "who tunes the assistant" else [])
    for app in ("accounts", "auth", "tables", "admin"):
        assert client.get(f"/admin/{app}/").status_code == 404, app

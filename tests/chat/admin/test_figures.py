"""The assistant's statistics: in the editor's time zone, without scripts, with constant queries."""
from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from hypothesis import example, given
from hypothesis import strategies as st

from accounts.models import Profile
from chat.admin.charts import HEIGHT, Series, round_up, stacked_chart
from chat.admin.figures import TITLES
from chat.models import Feedback, Message, Turn
from chat.selectors.figures import Statistics, TurnSelection, statistics
from chat.services import TraceRecord, TraceTexts
from tests.chat.stored_conversations import finish_turn, running_turn

pytestmark = pytest.mark.django_db
PAGE = reverse("admin:chat_figures_changelist")
USAGE = {"input_tokens": 1_000, "output_tokens": 200, "cache_read_tokens": 400}


def turn(user: User, *, at: datetime | None = None, thumb: str = "", **ending: Any) -> Turn:
    """Create a turn that started at this time and ended like this, with feedback on its answer."""
    done = finish_turn(running_turn(user), **ending)
    Turn.objects.filter(pk=done.pk).update(started_at=at or timezone.now())
    if thumb:
        answer = Message.objects.get(turn=done, role="assistant")
        Feedback.objects.create(message=answer, user=user, rating=thumb)
    return done


def last(days: int) -> Statistics:
    return statistics(TurnSelection(), days=days, now=timezone.now())


def test_day_counts_turns_tokens_errors_and_feedback(user: User) -> None:
    turn(user, usage=USAGE, thumb="up")
    turn(user, usage=USAGE, thumb="down")
    turn(user, state="error", error_code="timeout")
    today = last(7).days[-1]
    assert (today.turns, today.failed, dict(today.errors)) == (3, 1, {"timeout": 1})
    assert dict(today.tokens) == {name: 2 * count for name, count in USAGE.items()}
    assert dict(today.thumbs) == {"up": 1, "down": 1}


def test_hidden_text_is_counted_with_the_turn(user: User) -> None:
    data = {"calls": [], "dropped": ["The CHART_SPEC: you wrote was not shown.", "An action is not registered."]}
    turn(user, trace=lambda: TraceRecord(data=data, texts=TraceTexts(owner=user.pk)))
    hidden = {"dropped": ["The process that ran this turn is gone."]}
    turn(user, trace=lambda: TraceRecord(data=hidden, texts=TraceTexts(owner=user.pk)))
    assert last(7).total.dropped == 2


def test_days_use_the_time_zone_of_the_editor(user: User, editor: Client) -> None:
    midnight = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=2)
    turn(user, at=midnight + timedelta(hours=1))
    Profile.objects.create(user=User.objects.get(username="edda"), time_zone="America/New_York")
    shown = editor.get(PAGE, {"days": "7"}).context
    counted = {figures.day: figures.turns for figures, _ in shown["days"] if figures.turns}
    assert (counted, shown["zone"]) == ({(midnight - timedelta(days=1)).date(): 1}, "America/New_York")


@pytest.mark.parametrize(("days_param", "days"), [("90", 90), ("8", 30), ("x", 30)])
def test_period_is_one_of_three(editor: Client, days_param: str, days: int) -> None:
    assert len(editor.get(PAGE, {"days": days_param}).context["days"]) == days


def test_turns_before_the_period_are_left_out(user: User) -> None:
    turn(user, at=timezone.now() - timedelta(days=8))
    assert last(7).total.turns == 0
    assert last(30).total.turns == 1


def test_cost_is_shown_only_where_prices_are_set(user: User, editor: Client, settings: Any) -> None:
    turn(user, usage=USAGE)
    settings.CHAT_PRICE_INPUT = settings.CHAT_PRICE_OUTPUT = settings.CHAT_PRICE_CACHED = None
    assert ">Cost" not in editor.get(PAGE).content.decode()
    settings.CHAT_PRICE_INPUT, settings.CHAT_PRICE_OUTPUT = 3_000.0, 15_000.0
    assert "$6.00" in editor.get(PAGE).content.decode()


def test_empty_period_shows_a_message(editor: Client) -> None:
    assert "No messages to the assistant in the last 30 days." in editor.get(PAGE).content.decode()


def test_page_has_no_inline_style_or_script_and_a_table_of_the_same_numbers(
    user: User, editor: Client
) -> None:
    turn(user, usage=USAGE, thumb="up")
    page = editor.get(PAGE).content.decode()
    assert not re.search(r"<style|\sstyle=|<script>|\son\w+=", page)
    assert re.search(r'<rect class="tone-main" x="[\d.]+" y="[\d.]+" width="8" height="[\d.]+"/>', page)
    assert page.count('<th scope="row">') == 30 + len(TITLES) - 1


def test_queries_are_constant(user: User, editor: Client) -> None:
    turn(user, usage=USAGE, thumb="up")
    editor.get(PAGE)
    with CaptureQueriesContext(connection) as few:
        editor.get(PAGE)
    for days in range(5):
        turn(user, at=timezone.now() - timedelta(days=days), usage=USAGE, thumb="down")
    with CaptureQueriesContext(connection) as more:
        editor.get(PAGE, {"days": "90"})
    assert len(more) == len(few)


def test_bars_lead_to_the_conversations_behind_them(user: User, editor: Client) -> None:
    slow = turn(user, usage=USAGE, thumb="down")
    Turn.objects.filter(pk=slow.pk).update(model="slow", configuration=3, tab="rows")
    other = turn(user, at=timezone.now() - timedelta(days=2), state="error", error_code="timeout")
    assert "chat/conversation" not in editor.get(PAGE).content.decode()
    User.objects.get(username="edda").user_permissions.add(Permission.objects.get(codename="view_conversation"))
    shown = editor.get(PAGE).context
    lines = {line.label: line for _, lines, _ in shown["breakdowns"] for line in lines}
    bars = {chart.title: [column.url for column in chart.columns if column.url] for chart in shown["charts"]}
    for url, turns in [
        (lines["slow"].conversations_url, [slow]),
        (lines["Version 3"].conversations_url, [slow]),
        (lines["Notes: Rows"].conversations_url, [slow]),
        (lines["Notes"].conversations_url, [slow, other]),
        (shown["codes"][0][2], [other]),
        (bars["Turns"][0], [other]),
        (bars["Turns"][1], [slow]),
        (bars["Ratings"][0], [slow]),
    ]:
        answer = editor.get(url)
        assert ("until=" in url) == (b">on 20" in answer.content), url
        found = {conversation.pk for conversation in answer.context["cl"].result_list}
        assert found == {each.conversation_id for each in turns}, url
    selected = editor.get(PAGE + lines["slow"].url).context
    assert (selected["total"].turns, selected["total"].thumbs["down"], selected["selected"][0][1]) == (1, 1, "slow")


def test_turns_are_found_by_their_index() -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")
    day = date(2026, 1, 1)
    for index, selection in [
        ("turns_by_age", TurnSelection(since=day, until=day)),
        ("turns_by_tab", TurnSelection(tab="columns")),
        ("turns_by_version", TurnSelection(configuration=7)),
    ]:
        assert index in selection.turns().values("conversation").explain()


@pytest.mark.parametrize(("right", "status"), [("view_figures", 200), ("tune_assistant", 200), ("view_trace", 403)])
def test_page_requires_the_permission_or_that_of_editors(right: str, status: int) -> None:
    user = User.objects.create(username="fay", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename=right))
    client = Client()
    client.force_login(user)
    assert client.get(PAGE).status_code == status


NUMBERS = st.floats(min_value=0, max_value=1e12, allow_nan=False)


@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=90))
@example([(0.0, 0.0, 2.2250738585072014e-308)])
@example([(5e-324, 0.0, 0.0)])
def test_every_bar_is_inside_its_chart(numbers: list[tuple[float, float, float]]) -> None:
    first = date(2026, 1, 15)
    days = [first + timedelta(days=at) for at in range(len(numbers))]
    up, more, down = zip(*numbers, strict=True)
    series = [Series("up", "a", up), Series("more", "b", more), Series("down", "c", down, negative=True)]
    chart = stacked_chart("Any", total="", days=days, series=series)
    assert len(chart.columns) == len(days)
    for column in chart.columns:
        for bar in column.bars:
            assert -0.1 <= bar.y <= bar.y + bar.height <= HEIGHT + 0.1
            assert 0 <= bar.x <= bar.x + bar.width <= chart.width


@given(st.floats(min_value=1e-9, max_value=1e15, allow_nan=False))
def test_axis_maximum_is_slightly_above_the_largest_value(largest: float) -> None:
    assert largest <= round_up(largest) * 1.0001
    assert round_up(largest) <= 2 * largest * 1.0001

"""Counters, histograms and the text in which Prometheus reads them."""
from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

from hypothesis import given
from hypothesis import strategies as st

from chatproject.metrics.instruments import MOST_SERIES, OTHER, Counter, Histogram, gauge

SAMPLE = re.compile(r'^[a-z_]+(\{([a-z]+="(\\[\\n"]|[^"\\\n])*",?)+\})? (-?[0-9.e+-]+)$')


def test_a_counter_grows_by_label_and_one_without_labels_begins_at_nothing() -> None:
    plain, labelled = Counter("plain", "Says."), Counter("labelled", "Says.", ("kind",))
    labelled.add("a")
    labelled.add("a", amount=2)
    labelled.add("b")

    assert list(plain.lines()) == ["# HELP plain Says.", "# TYPE plain counter", "plain 0"]
    assert list(labelled.lines())[2:] == ['labelled{kind="a"} 3', 'labelled{kind="b"} 1']


def test_a_histogram_counts_up_to_each_bound() -> None:
    took = Histogram("took", "Says.", ("what",), bounds=(0.1, 1))
    for seconds in (0.1, 0.5, 7.0):
        took.observe("it", seconds=seconds)

    assert list(took.lines())[2:] == [
        'took_bucket{what="it",le="0.1"} 1',
        'took_bucket{what="it",le="1"} 2',
        'took_bucket{what="it",le="+Inf"} 3',
        'took_sum{what="it"} 7.6',
        'took_count{what="it"} 3',
    ]


def test_labels_that_somebody_makes_up_end_as_one() -> None:
    counter = Counter("many", "Says.", ("code",))
    for number in range(MOST_SERIES + 5):
        counter.add(str(number))

    assert f'many{{code="{OTHER}"}} 5' in counter.lines()
    assert len(list(counter.lines())) == MOST_SERIES + 3


def test_nothing_that_threads_count_is_lost() -> None:
    counter, took = Counter("counted", "Says.", ("kind",)), Histogram("took", "Says.")
    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(counter.add, "a") for _ in range(2_000)]:
            done.result()
        for done in [pool.submit(took.observe, seconds=1.0) for _ in range(200)]:
            done.result()

    assert 'counted{kind="a"} 2000' in counter.lines()
    assert "took_count 200" in took.lines()


@given(label=st.text(), amount=st.floats(0, 1e15))
def test_every_line_can_be_read_whatever_a_label_says(label: str, amount: float) -> None:
    counter = Counter("counted", "Says.", ("kind",))
    counter.add(label, amount=amount)

    line = list(counter.lines())[2:]
    assert len(line) == 1
    assert SAMPLE.match(line[0])
    assert SAMPLE.match(list(gauge("now", "Says.", amount))[2])

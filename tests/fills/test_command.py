"""`manage.py fill` with the demo model."""
from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from fills.models import Fill
from tables.selectors import Table, read_rows

pytestmark = pytest.mark.django_db(transaction=True)


def domains(people: Table) -> list[Any]:
    return [next((value for value in row.data.values() if str(value).startswith("firm")), None)
            for row in read_rows(people)]  # fmt: skip


def test_a_column_is_filled_from_the_command_line(
    user: User, people: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["fill", "ada", str(people.pk), "Domain", "--instruction", "Take the domain out of {E-mail}."]
    call_command(*arguments, "--estimate")
    assert (Fill.objects.count(), capsys.readouterr().out.startswith("5 rows, about ")) == (0, True)
    second = read_rows(people)[1].id
    call_command(*arguments, "--ids", str(second), "--try", "3")
    assert f"\nRow {second}: Domain: firm1.example (high confidence)\n    " in capsys.readouterr().out
    assert (Fill.objects.count(), domains(people)) == (0, [None] * 5 + ["firm5.example"])
    call_command(*arguments, "--apply=confident")
    assert re.search(
        r"5 found, 0 empty, 0 failed\.\n5 rows written, as change \d+\.$", capsys.readouterr().out.strip()
    )
    assert domains(people) == [f"firm{number}.example" for number in range(6)]
    with pytest.raises(CommandError, match=r"^rows: There are no such rows"):
        call_command(*arguments)
    with pytest.raises(CommandError, match=r"^instruction: .*no column “Nmae”"):
        call_command(*arguments[:-1], "Of {Nmae}")
    assert Fill.objects.count() == 1


def test_a_paused_fill_goes_on_from_the_command_line(
    user: User, people: Table, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["fill", "ada", str(people.pk)]
    new = [*arguments, "Domain", "--instruction", "Take the domain out of {E-mail}."]
    with pytest.raises(CommandError, match="budget"):
        call_command(*new, "--budget=1")
    [fill] = Fill.objects.all()
    resume = [*arguments, "--resume", str(fill.pk)]
    with pytest.raises(CommandError, match="Raise the budget first"):
        call_command(*resume)
    with pytest.raises(CommandError, match="already run"):
        call_command(*resume, "--all", "--budget=100000")
    call_command(*resume, "--budget=100000", "--apply=all")
    assert re.search(r"^5 found, .*\n5 rows written, as change", capsys.readouterr().out, re.MULTILINE)

    settings.FILL_CONFIDENT = False
    with pytest.raises(CommandError, match=r"^apply: .*only after a review"):
        call_command(*new, "--all", "--apply=confident")
    with pytest.raises(CommandError, match=r"^rows\.ids\[1\]: .*\nexamples\[0\]: .*\nmodel: "):
        call_command(*new, "--ids=1,x", "--examples=999", "--model=none")
    assert Fill.objects.count() == 1

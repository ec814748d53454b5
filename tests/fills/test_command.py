"""`manage.py fill` with the demo model."""
from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from fills.models import Fill
from tables.selectors import Table, read_rows

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_column_is_filled_from_the_command_line(
    user: User, people: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["fill", "ada", str(people.pk), "Domain", "--instruction", "Take the domain out of {E-mail}."]
    call_command(*arguments, "--estimate")
    assert (Fill.objects.count(), capsys.readouterr().out.startswith("5 rows, about ")) == (0, True)
    call_command(*arguments, "--apply=confident")
    assert "5 found, 0 empty, 0 failed.\n5 rows written, as change " in capsys.readouterr().out
    assert all("firm5.example" in row.data.values() for row in read_rows(people)[5:])
    with pytest.raises(CommandError, match="There are no such rows"):
        call_command(*arguments)
    with pytest.raises(CommandError, match="no column “Nmae”"):
        call_command(*arguments[:-1], "Of {Nmae}")

"""Store the tab and the version of the configuration with each turn, for the statistics."""
from __future__ import annotations

from typing import Any

from django.db import migrations, models
from django.db.models import OuterRef, Subquery, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce, Left


def fill(apps: Any, schema_editor: Any) -> None:
    """Fill the fields of existing turns from their contexts and answers."""
    turns = apps.get_model("chat", "Turn").objects.using(schema_editor.connection.alias)
    answers = apps.get_model("chat", "Message").objects.filter(turn=OuterRef("pk"), role="assistant")
    version = Subquery(answers.values("configuration")[:1])
    turns.update(
        configuration=Coalesce(version, Value(0)),
        tab=Coalesce(Left(KT("context__active_tab"), 64), Value("")),
    )


class Migration(migrations.Migration):
    dependencies = [("chat", "0006_prompt_tests")]
    operations = [
        migrations.AddField(
            model_name="turn", name="configuration", field=models.PositiveIntegerField(db_default=0, default=0)
        ),
        migrations.AddField(
            model_name="turn", name="tab", field=models.CharField(blank=True, db_default="", default="", max_length=64)
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]

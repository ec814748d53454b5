"""Conversations are found by the tabs and versions of their turns."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("chat", "0011_turns_by_page")]

    operations = [
        migrations.AddIndex(
            model_name="turn",
            index=models.Index(fields=["tab", "page", "conversation"], name="turns_by_tab"),
        ),
        migrations.AddIndex(
            model_name="turn",
            index=models.Index(fields=["configuration", "conversation"], name="turns_by_version"),
        ),
    ]

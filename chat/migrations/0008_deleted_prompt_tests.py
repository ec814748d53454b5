"""Deleted tests of prompts can be restored."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("chat", "0007_turn_tab_and_configuration")]

    operations = [
        migrations.AddField(
            model_name="prompttest",
            name="deleted_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]

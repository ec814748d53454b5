"""Messages refer to files that the user has added."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("chat", "0012_turns_by_tab_and_version")]

    operations = [
        migrations.AddField(
            model_name="message",
            name="files",
            field=models.JSONField(blank=True, null=True),
        ),
    ]

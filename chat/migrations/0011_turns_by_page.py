"""Conversations are found by the pages of their turns."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("chat", "0010_labels_of_records")]

    operations = [
        migrations.AddIndex(
            model_name="turn",
            index=models.Index(fields=["page", "conversation"], name="turns_by_page"),
        ),
    ]

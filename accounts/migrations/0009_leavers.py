from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("accounts", "0008_answers_by_key"),
    ]
    operations = [
        migrations.CreateModel(
            name="Leaver",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="leaver",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("left_at", models.DateTimeField()),
            ],
        ),
    ]

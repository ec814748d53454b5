"""Names of ratings and of a status for administrators."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("chat", "0009_discarded_drafts")]

    operations = [
        migrations.AlterModelOptions(
            name="feedback",
            options={
                "default_permissions": (),
                "permissions": [("view_feedback", "View ratings of answers and their reasons")],
                "verbose_name": "rating",
                "verbose_name_plural": "ratings",
            },
        ),
        migrations.AlterField(
            model_name="payload",
            name="status",
            field=models.CharField(
                choices=[
                    ("shown", "Shown"),
                    ("pending", "Pending"),
                    ("applied", "Applied"),
                    ("partially_applied", "Partially applied"),
                    ("dismissed", "Dismissed"),
                    ("superseded", "Superseded"),
                    ("undone", "Undone"),
                ],
                default="shown",
                max_length=24,
            ),
        ),
    ]

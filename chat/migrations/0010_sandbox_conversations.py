from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("chat", "0009_feedback"),
    ]

    operations = [
        migrations.AddField(
            model_name="conversation",
            name="sandbox",
            field=models.BooleanField(default=False, editable=False),
        ),
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(
                condition=models.Q(("sandbox", True)), fields=["created_at"], name="conversations_tried"
            ),
        ),
    ]

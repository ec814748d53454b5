from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("chat", "0011_search_text"),
    ]

    operations = [
        migrations.AddField(
            model_name="turn",
            name="dropped",
            field=models.PositiveIntegerField(default=0, editable=False),
        ),
        migrations.AddIndex(
            model_name="turn",
            index=models.Index(fields=["started_at"], name="turns_by_age"),
        ),
        migrations.CreateModel(
            name="Figures",
            fields=[],
            options={
                "verbose_name": "assistant figures",
                "verbose_name_plural": "assistant figures",
                "proxy": True,
                "default_permissions": ("view",),
                "indexes": [],
                "constraints": [],
            },
            bases=("chat.turn",),
        ),
    ]

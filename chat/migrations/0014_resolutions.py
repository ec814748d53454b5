# What proposals were resolved to gets rows of its own; those there are move there.

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('chat', '0013_conversations_latest_first'),
    ]

    operations = [
        migrations.CreateModel(
            name='Resolution',
            fields=[
                ('payload', models.OneToOneField(
                    on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='resolution',
                    serialize=False, to='chat.payload',
                )),
                ('value', models.JSONField()),
            ],
        ),
        migrations.RunSQL(
            "INSERT INTO chat_resolution (payload_id, value)"
            " SELECT id, resolved FROM chat_payload WHERE resolved IS NOT NULL",
            "UPDATE chat_payload SET resolved ="
            " (SELECT value FROM chat_resolution WHERE payload_id = chat_payload.id)",
        ),
        migrations.RemoveField(model_name='payload', name='resolved'),
    ]

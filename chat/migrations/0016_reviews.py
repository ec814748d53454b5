# The review of a proposal is stored as it is made.

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('chat', '0015_name_of_token_uses'),
    ]

    operations = [
        migrations.CreateModel(
            name='Review',
            fields=[
                ('payload', models.OneToOneField(
                    on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='review',
                    serialize=False, to='chat.payload',
                )),
                ('decisions', models.JSONField(default=dict)),
                ('lost', models.JSONField(default=dict)),
                ('revision', models.PositiveIntegerField(default=0)),
                ('updated_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
    ]

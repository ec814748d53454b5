"""Whether a redo put back exactly what its undo took is stored, so that chains of them are not compared again."""
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tables', '0015_messages_of_changes'),
    ]

    operations = [
        migrations.AddField(
            model_name='change',
            name='is_exact',
            field=models.BooleanField(editable=False, null=True),
        ),
    ]

"""Where the deleted rows of a table are is asked whenever a row goes between others."""
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('tables', '0013_option_colors'),
    ]

    operations = [
        # The notes of 0012, which is recorded as applied by now.
        migrations.RunSQL('DROP TABLE IF EXISTS tables_spread_positions', migrations.RunSQL.noop),
        migrations.AddIndex(
            model_name='row',
            index=models.Index(condition=models.Q(('deleted_at__isnull', False)), fields=['table', 'position', 'id'], name='rows_deleted_in_order'),
        ),
    ]

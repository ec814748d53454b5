from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('chat', '0012_figures'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='conversation',
            index=models.Index(fields=['-updated_at'], name='conversations_latest_first'),
        ),
    ]

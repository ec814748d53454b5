from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tables", "0015_former_members")]

    operations = [
        migrations.AddField(
            model_name="filecontent", name="deleted_at", field=models.DateTimeField(blank=True, null=True)
        ),
    ]

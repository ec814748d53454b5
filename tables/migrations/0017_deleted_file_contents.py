from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tables", "0016_rows_without_index_of_authors")]

    operations = [
        migrations.AddField(
            model_name="filecontent", name="deleted_at", field=models.DateTimeField(blank=True, null=True)
        ),
    ]

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name='Stream',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('purpose', models.TextField(blank=True, max_length=1000)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='streams', to=settings.AUTH_USER_MODEL)),
            ],
            options={'ordering': ['name', 'id']},
        ),
        migrations.CreateModel(
            name='Source',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('query', models.CharField(max_length=500)),
                ('stream', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='%(class)ss', to='research.stream')),
            ],
            options={'ordering': ['id'], 'abstract': False, 'constraints': [models.UniqueConstraint(fields=('stream', 'name'), name='source_name')]},
        ),
        migrations.CreateModel(
            name='Keyword',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('stream', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='%(class)ss', to='research.stream')),
            ],
            options={'ordering': ['id'], 'abstract': False, 'constraints': [models.UniqueConstraint(fields=('stream', 'name'), name='keyword_name')]},
        ),
        migrations.CreateModel(
            name='SetupChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('added', models.JSONField()),
                ('removed', models.JSONField()),
                ('stream', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='research.stream')),
            ],
        ),
        migrations.CreateModel(
            name='Execution',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('started_at', models.DateTimeField(auto_now_add=True)),
                ('stream', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='executions', to='research.stream')),
                ('found', models.PositiveIntegerField()),
            ],
            options={'ordering': ['-id']},
        ),
        migrations.CreateModel(
            name='Report',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('execution', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, to='research.execution')),
            ],
        ),
        migrations.CreateModel(
            name='Article',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pmid', models.CharField(max_length=20)),
                ('title', models.TextField()),
                ('authors', models.TextField(blank=True)),
                ('journal', models.CharField(blank=True, max_length=200)),
                ('published', models.CharField(blank=True, max_length=40)),
                ('matches', models.PositiveIntegerField(default=0)),
                ('report', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='articles', to='research.report')),
            ],
            options={'ordering': ['-matches', 'id']},
        ),
    ]

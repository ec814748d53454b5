from datetime import timedelta

from django.db import migrations
from django.utils import timezone

BATCH = 1_000
DAYS = 14


def invite_names(apps, schema_editor):
    """Turn members that name no account into invitations that cannot be accepted until they are sent again."""
    Member = apps.get_model('tables', 'Member')
    Invitation = apps.get_model('tables', 'Invitation')
    named = Member.objects.filter(user=None).select_related('table').order_by('pk')
    expires_at = timezone.now() + timedelta(days=DAYS)
    while members := list(named[:BATCH]):
        Invitation.objects.bulk_create(
            Invitation(
                table_id=member.table_id,
                kind='user',
                name=member.name,
                role=member.role,
                invited_by_id=member.table.owner_id,
                created_at=member.added_at,
                expires_at=expires_at,
            )
            for member in members
        )
        Member.objects.filter(pk__in=[member.pk for member in members]).delete()


def list_names(apps, schema_editor):
    """Turn invitations by user name back into members; those by mail have no earlier form."""
    Member = apps.get_model('tables', 'Member')
    Invitation = apps.get_model('tables', 'Invitation')
    named = Invitation.objects.filter(kind='user', accepted_at=None).order_by('pk')
    for invitation in named.iterator(chunk_size=BATCH):
        values = {'role': invitation.role, 'added_by_id': invitation.invited_by_id}
        Member.objects.get_or_create(
            table_id=invitation.table_id, user=None, name=invitation.name[:150], defaults=values
        )
    Invitation.objects.exclude(kind='link').delete()


class Migration(migrations.Migration):

    dependencies = [
        ('tables', '0010_invitations_by_name_and_mail'),
    ]

    operations = [
        migrations.RunPython(invite_names, list_names),
    ]

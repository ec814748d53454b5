"""Sessions and e-mail addresses move into the tables of django-allauth."""

from django.conf import settings
from django.db import migrations
from django.db.models import F

NO_IP = "0.0.0.0"
# Of users with one address: who has access, and who signed in last.
FIRST = ("-user__is_active", F("user__last_login").desc(nulls_last=True), "pk")


def to_allauth(apps, schema_editor):
    get = apps.get_model
    sessions = (
        get("usersessions", "UserSession")(
            user_id=each.user_id, session_key=each.session_id, ip=NO_IP, user_agent="",
            data={"previous_key": each.previous_key} if each.previous_key else {},
        )
        for each in get("accounts", "OpenSession").objects.order_by("pk").iterator()
    )
    get("usersessions", "UserSession").objects.bulk_create(sessions, batch_size=500)
    addresses, users, taken = get("account", "EmailAddress").objects, get("auth", "User").objects, set()
    for each in get("accounts", "MailAddress").objects.select_related("user").order_by(*FIRST).iterator():
        email, wanted = each.user.email.lower(), each.wanted.lower()
        if each.key and each.key == email:
            # One user has an address; others who had confirmed the same one confirm another.
            if email in taken:
                print(f"  {each.user.username} has no confirmed address any more: another account has {email}.")
            addresses.create(user_id=each.user_id, email=email, verified=email not in taken, primary=True)
            taken.add(email)
            users.filter(pk=each.user_id).update(email=email)
        if wanted and not addresses.filter(user_id=each.user_id, email=wanted).exists():
            addresses.create(user_id=each.user_id, email=wanted, verified=False, primary=False)


def from_allauth(apps, schema_editor):
    get = apps.get_model
    # Still there if the migration that drops their tables was not applied.
    get("accounts", "OpenSession").objects.all().delete()
    get("accounts", "MailAddress").objects.all().delete()
    known = set(get("sessions", "Session").objects.values_list("pk", flat=True))
    sessions = (
        get("accounts", "OpenSession")(
            user_id=each.user_id, session_id=each.session_key, previous_key=each.data.get("previous_key", "")
        )
        for each in get("usersessions", "UserSession").objects.order_by("pk").iterator()
        if each.session_key in known
    )
    get("accounts", "OpenSession").objects.bulk_create(sessions, batch_size=500)
    get("usersessions", "UserSession").objects.all().delete()
    addresses = get("accounts", "MailAddress").objects
    for each in get("account", "EmailAddress").objects.order_by("pk").iterator():
        said = {"key": each.email} if each.verified else {"wanted": each.email}
        addresses.update_or_create(user_id=each.user_id, defaults=said)
    get("account", "EmailAddress").objects.all().delete()


class Migration(migrations.Migration):

    dependencies = [
        ("accounts", "0012_session_previous_key"),
        ("account", "0009_emailaddress_unique_primary_email"),
        ("usersessions", "0001_initial"),
        ("sessions", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(to_allauth, from_allauth),
    ]

"""Turns and answers from before there were messages get theirs, where the English text is that of one without
parameters. Others remain English."""
from django.db import migrations
from django.db.models import Q
from django.db.models.functions import Right

from user_messages import Message

ERRORS = (
    'provider_overloaded', 'provider_rate_limited', 'provider_auth', 'provider_unreachable', 'context_too_long',
    'budget_exhausted', 'turn_timeout', 'internal_error', 'answer_interrupted',
)
WARNINGS = ('answer_cut_off', 'out_of_steps', 'action_not_run')
CLOSINGS = (
    *WARNINGS, 'proposal_unreadable', 'proposal_unfit', 'proposal_cut_off', 'proposal_table_gone', 'model_refused',
    'no_answer',
)


def fill(apps, schema_editor):
    turns = apps.get_model('chat', 'Turn').objects
    messages = apps.get_model('chat', 'Message').objects.filter(turn__isnull=False, role='assistant')
    for form, text in _texts(ERRORS):
        turns.filter(error_coded__isnull=True, error_message=text).update(error_coded=form)
    for form, text in _texts(WARNINGS):
        messages.filter(warning_coded__isnull=True, warning=text).update(warning_coded=form)
    for form, text in _texts(CLOSINGS):
        # The last paragraph; not with `endswith`, which SQLite compares without regard to case.
        ending = f'\n\n{text}'
        ended = messages.filter(closing__isnull=True).annotate(ending=Right('text', len(ending)))
        ended.filter(Q(text=text) | Q(ending=ending)).update(closing=form)


def _texts(codes):
    """The stored form and the English text of these messages, if they still exist."""
    forms = [{'code': code, 'params': {}} for code in codes]
    return [(form, text) for form in forms if (text := str(Message.from_json(form)))]


class Migration(migrations.Migration):

    dependencies = [('chat', '0019_coded_messages')]
    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]

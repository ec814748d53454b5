"""Turns and answers from before there were messages get theirs, where the English text is that of one without
parameters. Others remain English.

The texts are those of the time of this migration; templates may have been edited since.
"""
from django.db import migrations
from django.db.models import Q
from django.db.models.functions import Right

ERRORS = {
    'provider_overloaded': "The assistant's model is overloaded at the moment. Please try again in a minute.",
    'provider_rate_limited': "The assistant's model has had too many requests. Please wait a little and try again.",
    'provider_auth': "The assistant's model refused our key or account. Please tell the administrator of this site.",
    'provider_unreachable': "The assistant's model could not be reached. Please try again.",
    'context_too_long': "This conversation has become too long for the model. Please start a new conversation.",
    'budget_exhausted': "You have used up what the assistant may use for you today.",
    'turn_timeout': "The answer took too long and was stopped. Please try again, perhaps with a smaller request.",
    'internal_error': "Something went wrong on our side.",
    'answer_interrupted': (
        "The answer was interrupted because the server stopped. Please send your message again."
    ),
}
WARNINGS = {
    'answer_cut_off': "The answer was cut off before it was finished. Ask to go on, or ask for less at a time.",
    'out_of_steps': "The assistant wanted to look up more than one answer allows. Ask it to go on.",
    'action_not_run': "The page could not do all of this. Ask again in other words.",
}
CLOSINGS = {
    **WARNINGS,
    'proposal_unreadable': (
        "I wrote a proposal, but it could not be read, so nothing is shown and nothing has changed. "
        "Please ask me to try again."
    ),
    'proposal_unfit': "My proposal does not fit, so nothing is shown and nothing has changed.",
    'proposal_cut_off': (
        "My proposal was cut off before it was complete, so nothing is shown and nothing has changed. "
        "Please ask for it in smaller parts."
    ),
    'proposal_table_gone': (
        "This table is gone, or no longer shared with you, so there is nothing to propose. Nothing has changed."
    ),
    'model_refused': "The model declined to answer this. Try to put it differently.",
    'no_answer': "The model gave no answer. Please try again.",
}


def fill(apps, schema_editor):
    turns = apps.get_model('chat', 'Turn').objects
    messages = apps.get_model('chat', 'Message').objects.filter(turn__isnull=False, role='assistant')
    for code, text in ERRORS.items():
        turns.filter(error_coded__isnull=True, error_message=text).update(error_coded=_form(code))
    for code, text in WARNINGS.items():
        messages.filter(warning_coded__isnull=True, warning=text).update(warning_coded=_form(code))
    for code, text in CLOSINGS.items():
        # The last paragraph; not with `endswith`, which SQLite compares without regard to case.
        ending = f'\n\n{text}'
        ended = messages.filter(closing__isnull=True).annotate(ending=Right('text', len(ending)))
        ended.filter(Q(text=text) | Q(ending=ending)).update(closing=_form(code))


def _form(code):
    return {'code': code, 'params': {}}


class Migration(migrations.Migration):

    dependencies = [('chat', '0019_coded_messages')]
    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]

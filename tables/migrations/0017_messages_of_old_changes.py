"""Changes from before there were messages get theirs, as far as their English summaries can be read exactly.

The words of the summaries are those of the time of this migration. What cannot be read remains English.
"""
import re

from django.db import migrations

from shared.user_messages import Message

BATCH = 1_000
# Longer summaries were cut off.
LONGEST = 254

NUMBER = r'(?P<count>\d[\d,]*)'
WHOLE = {
    'Nothing to do': 'nothing_to_do',
    'Moved the table to the trash': 'trashed',
    'Took the table out of the trash': 'restored',
}
AGAIN = re.compile(r'(?P<code>Undid|Redid): (?P<summary>.+)')
RESTORED = re.compile(r'Restored as of (?P<day>[\d-]{10}) (?P<time>[\d:]{5}) UTC')
CREATED = re.compile(r'Created “(?P<name>.*)”')
COPIED = re.compile(rf'Copied {NUMBER} rows of “(?P<name>.*)”')
IMPORTED = re.compile(
    rf'Imported (?:{NUMBER} rows?|(?P<new>\d[\d,]*) new and (?P<changed>\d[\d,]*) changed rows)'
    r'(?: and (?P<columns>\d+) columns?)? from (?P<file>.+)'
)

# With these words a clause begins. Others belong to the clause before them: names may contain commas.
BEGINNING = re.compile(
    r'(?:(?:added|changed|deleted|moved) [\d,]+ rows?|renamed the table|changed the description)$'
    r'|(?:added|changed|removed|moved) columns? |(?:added|deleted|renamed) option |added [\d,]+ options to '
)
FIXED_CLAUSES = {'renamed the table': 'renamed_table', 'changed the description': 'changed_description'}
ROWS = re.compile(rf'(?P<word>added|changed|deleted|moved) {NUMBER} rows?')
COLUMNS = re.compile(r'(?P<word>added|changed|removed|moved) (?P<noun>columns?) (?P<names>.+)')
MORE = re.compile(r'(?P<names>.+) and (?P<count>\d+) more')
ADDED_OPTIONS = re.compile(rf'added {NUMBER} options to (?P<column>.+)')
# The words before and between the two names, the code, and the parameters.
OPTION_CLAUSES = (
    ('added option ', ' to ', 'added_option', 'column'),
    ('deleted option ', ' from ', 'deleted_option', 'column'),
    ('renamed option ', ' to ', 'renamed_option', 'new_name'),
)
# So many names were listed at most.
MAX_NAMES = 3


def message_of(summary):
    """Return the stored form of the message with exactly this English text, or None."""
    try:
        form = _message(summary) if len(summary) <= LONGEST else None
        return form if form and str(Message.from_json(form)) == summary else None
    except ValueError:
        return None


def _message(summary):
    if summary in WHOLE:
        return _form(WHOLE[summary])
    if found := AGAIN.fullmatch(summary):
        inner = message_of(found['summary'])
        return _form(found['code'].lower(), summary=inner) if inner else None
    if found := RESTORED.fullmatch(summary):
        return _form('restored_as_of', moment=f"{found['day']}T{found['time']}:00+00:00")
    if found := CREATED.fullmatch(summary):
        return _form('created', name=found['name'])
    if found := COPIED.fullmatch(summary):
        return _form('copied', count=_number(found['count']), name=found['name'])
    if found := IMPORTED.fullmatch(summary):
        return _imported(found)
    clauses = [_clause(text) for text in _clauses(summary[:1].lower() + summary[1:])]
    return _form('sentence', clauses=clauses) if all(clauses) else None


def _imported(found):
    if found['count']:
        rows = _form('rows', count=_number(found['count']))
    else:
        rows = _form('new_and_changed_rows', new=_number(found['new']), changed=_number(found['changed']))
    if not found['columns']:
        return _form('imported', rows=rows, file=found['file'])
    columns = _form('columns', count=_number(found['columns']))
    return _form('imported_with_columns', rows=rows, columns=columns, file=found['file'])


def _clauses(text):
    clauses = []
    for part in text.split(', '):
        if clauses and not BEGINNING.match(part):
            clauses[-1] += f', {part}'
        else:
            clauses.append(part)
    return clauses


def _clause(text):
    if text in FIXED_CLAUSES:
        return _form(FIXED_CLAUSES[text])
    if found := ROWS.fullmatch(text):
        return _form(f"{found['word']}_rows", count=_number(found['count']))
    if found := ADDED_OPTIONS.fullmatch(text):
        return _form('added_options', count=_number(found['count']), column=found['column'])
    if found := COLUMNS.fullmatch(text):
        return _columns(found)
    for beginning, between, code, second in OPTION_CLAUSES:
        names = text.removeprefix(beginning).split(between)
        # With more of these words it is unclear which of them belong to a name.
        if text.startswith(beginning) and len(names) == 2:
            return _form(code, **{'option': names[0], second: names[1]})
    return None


def _columns(found):
    code = f"{found['word']}_columns"
    if found['noun'] == 'column':
        return _form(code, count=1, names=[found['names']])
    names, more = found['names'].split(', '), MORE.fullmatch(found['names'])
    if len(names) >= MAX_NAMES and more:
        left = _number(more['count'])
        listed = _form('names_and_more', names=more['names'].split(', '), count=left)
        return _form(code, count=MAX_NAMES + left, names=listed)
    return _form(code, count=min(len(names), MAX_NAMES), names=names) if len(names) > 1 else None


def _form(code, **params):
    return {'code': code, 'params': params}


def _number(text):
    return int(text.replace(',', ''))


def fill(apps, schema_editor):
    """In batches by key: each is committed alone, and what has been filled is not read again."""
    old = apps.get_model('tables', 'Change').objects.filter(summary_message__isnull=True).only('summary').order_by('pk')
    batch = list(old[:BATCH])
    while batch:
        for change in batch:
            change.summary_message = message_of(change.summary)
        old.bulk_update([each for each in batch if each.summary_message], ['summary_message'], batch_size=BATCH)
        batch = list(old.filter(pk__gt=batch[-1].pk)[:BATCH])


class Migration(migrations.Migration):

    atomic = False
    dependencies = [('tables', '0016_exact_redos')]
    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]

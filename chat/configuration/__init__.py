"""Overrides of registry entries by administrators, field by field, without a database.

Read `fields` (what can be overridden), `entries`, `apply_overrides`, `validation`, `configuration_file`, `text_diff`.
"""
from chat.configuration.apply_overrides import Judged, Override, judged, overridden, with_added
from chat.configuration.configuration_file import (
    MAX_BYTES,
    FileReading,
    faults_of_file,
    file_of,
    read_file,
)
from chat.configuration.entries import (
    Address,
    Place,
    added_entry,
    entries_of,
    in_words,
    places_of,
    registry_of,
    values_of,
    words_of,
)
from chat.configuration.fields import ADDED, KINDS, Field, Kind
from chat.configuration.text_diff import difference
from chat.configuration.validation import NAME_FORMS, faults_of_entry, faults_of_name, faults_of_value

__all__ = [
    "ADDED",
    "KINDS",
    "MAX_BYTES",
    "NAME_FORMS",
    "Address",
    "Field",
    "FileReading",
    "Judged",
    "Kind",
    "Override",
    "Place",
    "added_entry",
    "difference",
    "entries_of",
    "faults_of_entry",
    "faults_of_file",
    "faults_of_name",
    "faults_of_value",
    "file_of",
    "in_words",
    "judged",
    "overridden",
    "places_of",
    "read_file",
    "registry_of",
    "values_of",
    "with_added",
    "words_of",
]

"""Overrides of registry entries by administrators, field by field, without a database.

Read `fields` (what can be overridden), `entries`, `apply_overrides`, `validation`, `configuration_file`, `text_diff`,
`text_merge`.
"""
from chat.configuration.apply_overrides import CheckedOverride, Override, check_overrides, overridden, with_added
from chat.configuration.configuration_file import (
    MAX_BYTES,
    FileReading,
    FileTest,
    faults_of_file,
    file_of,
    read_file,
)
from chat.configuration.entries import (
    Address,
    PositionedEntry,
    added_entry,
    entries_by_address,
    entries_of,
    registry_of,
    values_of,
)
from chat.configuration.fields import ADDED, KINDS, Field, Kind
from chat.configuration.text_diff import difference, marked_words
from chat.configuration.validation import (
    NAME_FORMS,
    faults_by_field_of_entry,
    faults_of_engine,
    faults_of_entry,
    faults_of_limits,
    faults_of_name,
    faults_of_parent,
    faults_of_value,
)

__all__ = [
    "ADDED",
    "KINDS",
    "MAX_BYTES",
    "NAME_FORMS",
    "Address",
    "CheckedOverride",
    "Field",
    "FileReading",
    "FileTest",
    "Kind",
    "Override",
    "PositionedEntry",
    "added_entry",
    "check_overrides",
    "difference",
    "entries_by_address",
    "entries_of",
    "faults_by_field_of_entry",
    "faults_of_engine",
    "faults_of_entry",
    "faults_of_file",
    "faults_of_limits",
    "faults_of_name",
    "faults_of_parent",
    "faults_of_value",
    "file_of",
    "marked_words",
    "overridden",
    "read_file",
    "registry_of",
    "values_of",
    "with_added",
]

"""What administrators may change of the catalogue, field by field, and what becomes of it; knows no database."""
from chat.configuring.applying import Override, overridden, with_added
from chat.configuring.checking import faults_of_entry, faults_of_value
from chat.configuring.entries import Address, Place, added_entry, entries_of, places_of, values_of
from chat.configuring.fields import ADDED, KINDS, Field, Kind

__all__ = [
    "ADDED",
    "KINDS",
    "Address",
    "Field",
    "Kind",
    "Override",
    "Place",
    "added_entry",
    "entries_of",
    "faults_of_entry",
    "faults_of_value",
    "overridden",
    "places_of",
    "values_of",
    "with_added",
]

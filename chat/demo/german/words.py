"""What columns, options and subjects are called in both languages. Names people wrote otherwise stay as they are."""

from __future__ import annotations

# German by English. Where several English names mean the same, the first is the one that is thought in.
COLUMNS = {
    "Company": "Firma", "Role": "Stelle", "Position": "Stelle", "Status": "Status", "Date Applied": "Bewerbungsdatum",
    "Follow-up Date": "Nachfassdatum", "Location": "Ort", "Salary": "Gehalt", "Notes": "Notizen", "Date": "Datum",
    "Description": "Beschreibung", "Amount": "Betrag", "Category": "Kategorie", "Paid Back": "Erstattet",
    "Person": "Person", "Theme": "Thema", "Severity": "Schwere", "Title": "Titel", "Author": "Autor",
    "Rating": "Bewertung", "Finish Date": "Enddatum", "Vendor": "Lieferant", "Contact Person": "Ansprechperson",
    "Email": "E-Mail", "Contract Renewal": "Vertragsverlängerung", "Annual Cost": "Jährliche Kosten",
    "Priority": "Priorität", "Customer": "Kunde", "Name": "Name", "Phone": "Telefon", "Price": "Preis",
}  # fmt: skip
OPTIONS = {
    "Applied": "Beworben", "Interview": "Gespräch", "Offer": "Angebot", "Rejected": "Abgelehnt", "High": "Hoch",
    "Medium": "Mittel", "Low": "Niedrig", "Groceries": "Lebensmittel", "Transport": "Verkehr", "Housing": "Wohnen",
    "Eating out": "Restaurant", "Health": "Gesundheit", "Other": "Anderes", "Critical": "Kritisch", "Major": "Schwer",
    "Minor": "Leicht", "Trivial": "Gering", "New": "Neu", "In review": "In Prüfung", "Planned": "Geplant",
    "Closed": "Erledigt", "To read": "Zu lesen", "Reading": "Lese ich", "Finished": "Gelesen", "Software": "Software",
    "Hardware": "Hardware", "Services": "Dienste", "Facilities": "Gebäude", "Active": "Aktiv",
    "Evaluating": "In Auswahl", "Inactive": "Inaktiv", "To do": "Offen", "In progress": "In Arbeit", "Done": "Fertig",
}  # fmt: skip
# By what a German wish says: the English wish without its columns, and what such a table is called.
SUBJECTS = {
    "bewerbungen": ("Track my job applications", "Bewerbungen"),
    "haushaltsausgaben": ("A table for household expenses", "Haushaltsausgaben"),
    "ausgaben": ("Log my expenses", "Ausgaben"),
    "kundenrückmeldungen": ("Collect customer feedback", "Kundenrückmeldungen"),
    "leseliste": ("Track my reading list", "Leseliste"),
    "lieferanten": ("I need a table for my vendors", "Lieferanten"),
}
NAMES = {"Job Applications": "Bewerbungen", "Household Expenses": "Haushaltsausgaben", "Expenses": "Ausgaben",
         "Customer Feedback": "Kundenrückmeldungen", "Reading List": "Leseliste", "Vendors": "Lieferanten"}  # fmt: skip
ASKED = {"ob sie erstattet wurden": "whether they were paid back", "von wem": "who said it", "wer": "who said it"}
PHRASES = {german.casefold(): english for english, german in reversed(COLUMNS.items())} | ASKED
TYPES = {"text": "Text", "number": "Zahl", "date": "Datum", "boolean": "Ja/Nein", "select": "Auswahl"}


def german_name(name: str) -> str:
    """What a column, an option or a table is called in German."""
    return COLUMNS.get(name) or OPTIONS.get(name) or NAMES.get(name) or name


def german_list(names: list[str]) -> str:
    """ "Firma, Stelle und Status"."""
    return " und ".join(part for part in (", ".join(names[:-1]), names[-1]) if part) if names else ""

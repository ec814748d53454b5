"""Prepares the tests of the application: its settings, an empty database, and no key of a provider."""
import django

from chatproject.testing.isolation import isolate

isolate(settings_module="tests.reports.settings")
django.setup()

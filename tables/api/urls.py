"""The addresses below /api/tables/.

Reading and writing share an address: a view in `writing` is the view of the same name in `reading` with more methods.
"""
from __future__ import annotations

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []

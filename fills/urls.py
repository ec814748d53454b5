"""URLs of pages of fills, below /tables/."""
from __future__ import annotations

from django.urls import path

from fills import views

urlpatterns = [
    path("<int:table_id>/fill/", views.new_fill, name="new_fill"),
    path("<int:table_id>/fills/<uuid:fill_id>/", views.fill_page, name="fill_page"),
]

"""URLs of pages of fills, below /tables/."""
from __future__ import annotations

from django.urls import path

from fills import notice_views, standing_page, views

urlpatterns = [
    path("fill-notices/", notice_views.fill_notices, name="fill_notices"),
    path("<int:table_id>/fill/", views.new_fill, name="new_fill"),
    path("<int:table_id>/standing-fills/", standing_page.standing_fills, name="standing_fills"),
    path("<int:table_id>/fills/<uuid:fill_id>/review/", notice_views.review_fill, name="review_fill"),
    path("<int:table_id>/fills/<uuid:fill_id>/dismiss/", notice_views.dismiss_fill_notice, name="dismiss_fill_notice"),
    path("<int:table_id>/fills/<uuid:fill_id>/", views.fill_page, name="fill_page"),
]

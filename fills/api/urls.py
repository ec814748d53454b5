"""URLs of fills below /api/tables/."""
from __future__ import annotations

from django.urls import path

from fills.api import offers, overview, standing_fills, views

FILLS = "<int:table_id>/fills/"
FILL = f"{FILLS}<uuid:fill_id>/"
STANDING_FILLS = "<int:table_id>/standing-fills/"
STANDING_FILL = f"{STANDING_FILLS}<uuid:fill_id>/"
urlpatterns = [
    path(FILLS, views.Fills.as_view(), name="api_fills"),
    path(f"{FILLS}offers/", offers.FillOffers.as_view(), name="api_fill_offers"),
    path(FILL, views.OneFill.as_view(), name="api_fill"),
    path(f"{FILL}try/", views.Try.as_view(), name="api_fill_try"),
    path(f"{FILL}run/", views.Run.as_view(), name="api_fill_run"),
    path(f"{FILL}pause/", views.Pause.as_view(), name="api_fill_pause"),
    path(f"{FILL}resume/", views.Resume.as_view(), name="api_fill_resume"),
    path(f"{FILL}cancel/", views.Cancel.as_view(), name="api_fill_cancel"),
    path(f"{FILL}take-over/", views.TakeOver.as_view(), name="api_fill_take_over"),
    path(f"{FILL}results/", views.Results.as_view(), name="api_fill_results"),
    path(f"{FILL}review/", overview.ReviewOverview.as_view(), name="api_fill_review"),
    path(f"{FILL}refill/", views.Refill.as_view(), name="api_fill_refill"),
    path("<int:table_id>/rows/<int:row_id>/origins/", views.RowOrigins.as_view(), name="api_row_origins"),
    path(f"{FILL}apply/", views.Apply.as_view(), name="api_fill_apply"),
    path(STANDING_FILLS, standing_fills.StandingFills.as_view(), name="api_standing_fills"),
    path(STANDING_FILL, standing_fills.OneStandingFill.as_view(), name="api_standing_fill"),
    path(f"{STANDING_FILL}run/", standing_fills.RunStandingFill.as_view(), name="api_standing_fill_run"),
]

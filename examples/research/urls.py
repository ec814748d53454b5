"""URLs of the example before those of Table Chat, so that `/` is the list of streams."""
from django.urls import path
from django.views.generic import RedirectView

from chatproject.urls import handler400, handler404, handler500
from chatproject.urls import urlpatterns as project_urlpatterns
from examples.research import views

__all__ = ["handler400", "handler404", "handler500", "urlpatterns"]

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="streams")),
    path("streams/", views.streams, name="streams"),
    path("streams/<int:stream_id>/", views.stream, name="stream"),
    path("streams/<int:stream_id>/run/", views.run, name="run_stream"),
    path("streams/<int:stream_id>/<str:kind>/", views.change_setup, name="change_setup"),
    *project_urlpatterns,
]

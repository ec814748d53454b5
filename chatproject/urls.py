"""URLs of the whole project."""
from __future__ import annotations

from django.apps import apps
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from chatproject import views
from chatproject.observability.metrics import receivers
from chatproject.observability.metrics.views import metrics
from chatproject.openapi import views as openapi_views

table_urlpatterns: list[URLPattern | URLResolver] = []
if apps.is_installed("tables"):
    from tables.api.urls import assigned_urlpatterns, import_urlpatterns
    from tables.views import copy_shared_table, shared_table, shared_table_export

    table_urlpatterns += [
        path("tables/", include("tables.urls")),
        path("shared/<str:token>/", shared_table, name="shared_table"),
        path("shared/<str:token>/export/", shared_table_export, name="shared_table_export"),
        path("shared/<str:token>/copy/", copy_shared_table, name="copy_shared_table"),
        path("api/tables/", include("tables.api.urls")),
        path("api/imports/", include(import_urlpatterns)),
        path("api/assigned/", include(assigned_urlpatterns)),
    ]
if apps.is_installed("fills"):
    table_urlpatterns += [
        path("tables/", include("fills.urls")),
        path("api/tables/", include("fills.api.urls")),
    ]

urlpatterns = [
    path("", views.HomeView.as_view(), name="home"),
    path("", include("accounts.urls")),
    path("api/", include("accounts.api.urls")),
    *table_urlpatterns,
    path("api/chat/", include("chat.api.urls")),
    path("api/schema/", openapi_views.SchemaView.as_view(), name="api_schema"),
    path("api/asyncapi/", openapi_views.AsyncApiView.as_view(), name="api_asyncapi"),
    path("api/docs/", openapi_views.docs, name="api_docs"),
    path("api-explorer/", openapi_views.explorer, name="api_explorer"),
    path("admin/", admin.site.urls),
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
]
handler400 = views.bad_request
handler404 = views.not_found
# Called by django-allauth when a rate limit is exceeded.
handler429 = views.too_many_requests
handler500 = views.server_error
receivers.connect()

"""All settings. Environment variables are read only here."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import dj_database_url

from chatproject.backends.postgresql.connection_pool import database_options
from chatproject.config import environment
from chatproject.config.email_url import parse_email_url
from chatproject.config.file_storage import file_storage_from_environment
from chatproject.openapi.settings import SPECTACULAR_SETTINGS as SPECTACULAR_SETTINGS

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = environment.data_dir(BASE_DIR)

DEBUG = environment.boolean("DEBUG")
# On pages, in mails, in authenticator apps and in the API document.
SITE_NAME = environment.text("SITE_NAME") or "Table Chat"
ALLOWED_HOSTS = environment.hosts("ALLOWED_HOSTS") or ["127.0.0.1", "localhost", "[::1]"]
CSRF_TRUSTED_ORIGINS = environment.origins("CSRF_TRUSTED_ORIGINS")
LOCAL_INSTALL = not set(ALLOWED_HOSTS) - environment.LOOPBACK
SECRET_KEY = environment.secret_key(DATA_DIR, hosts=ALLOWED_HOSTS)
# Earlier keys, whose sessions, links and encrypted secrets remain valid.
SECRET_KEY_FALLBACKS = environment.comma_separated("SECRET_KEY_FALLBACKS")

INSTALLED_APPS = [
    "chatproject.admin_site.Admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "csp",
    # Before django-tasks-db, because its `db_worker` replaces that of django-tasks-db.
    "chatproject",
    "django_tasks",
    "chatproject.admin_site.BackgroundTasks",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
    "accounts",
    "tables",
    "chat",
    "fills",
]

MIDDLEWARE = [
    "chatproject.observability.metrics.receivers.measure_requests",
    "chatproject.middleware.inline.SecurityMiddleware",
    "chatproject.middleware.requests.RequestIdMiddleware",
    "chatproject.middleware.inline.CSPMiddleware",
    "chatproject.middleware.requests.ChunkedBodyMiddleware",
    "chatproject.middleware.inline.SessionMiddleware",
    "chatproject.middleware.requests.AppendSlashMiddleware",
    "chatproject.middleware.inline.CsrfViewMiddleware",
    "chatproject.middleware.inline.AuthenticationMiddleware",
    "chatproject.middleware.inline.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "chatproject.middleware.inline.XFrameOptionsMiddleware",
    "chatproject.middleware.api_access.ApiAccessMiddleware",
    "chatproject.middleware.requests.MethodMiddleware",
    "chatproject.middleware.localization.TimeZoneMiddleware",
    "chatproject.middleware.localization.LanguageMiddleware",
    "chatproject.middleware.requests.QueryMiddleware",
    "chatproject.middleware.requests.BodyLimitMiddleware",
    "chatproject.middleware.requests.ApiErrorMiddleware",
    "chatproject.middleware.request_limits.RequestLimitMiddleware",
    "chatproject.middleware.requests.IfMatchMiddleware",
    "chatproject.middleware.idempotency.IdempotencyMiddleware",
]
# These checks look for middleware by its name in Django; ours are subclasses.
SILENCED_SYSTEM_CHECKS = ["security.W001", "security.W002", "security.W003"]

ROOT_URLCONF = "chatproject.urls"
ASGI_APPLICATION = "chatproject.asgi.application"
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                *(["fills.context.fills"] if "fills" in INSTALLED_APPS else []),
            ],
        },
    },
]

# The maximum of open connections of a process (PostgreSQL). When all are in use, threads wait.
DATABASE_CONNECTIONS = environment.integer("DATABASE_CONNECTIONS", 16, minimum=4, maximum=100)
DATABASES = {
    "default": dj_database_url.parse(
        environment.url("DATABASE_URL", "postgres", "postgresql", "sqlite")
        or f"sqlite:///{DATA_DIR / 'db.sqlite3'}",
        conn_max_age=0,
    )
}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["ENGINE"] = "chatproject.backends.sqlite"
    # IMMEDIATE takes the write lock at the start of a transaction: without it, more than half of contended writes
    # fail with "database is locked".
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        # For work without a time limit. Statements of a request wait up to DATABASE_LOCK_SECONDS.
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
else:
    DATABASES["default"]["ENGINE"] = "chatproject.backends.postgresql"
    DATABASES["default"]["OPTIONS"] = database_options(
        DATABASES["default"].get("OPTIONS", {}), max_connections=DATABASE_CONNECTIONS
    )
# Seconds that the database may work for one request, and that each of its statements may wait for a lock.
DATABASE_READ_SECONDS = environment.integer("DATABASE_READ_SECONDS", 5, maximum=3_600)
DATABASE_WRITE_SECONDS = environment.integer("DATABASE_WRITE_SECONDS", 20, maximum=3_600)
DATABASE_LONG_SECONDS = environment.integer("DATABASE_LONG_SECONDS", 600, maximum=86_400)
DATABASE_LOCK_SECONDS = environment.integer("DATABASE_LOCK_SECONDS", 5, maximum=3_600)
# Requests of one user, or of one address without a session, that a process handles at the same time.
REQUESTS_AT_ONCE = environment.integer("REQUESTS_AT_ONCE", 4, maximum=100)
# Open sockets of a process, limited to half of the files that it may have open.
SOCKETS_A_PROCESS = environment.integer("SOCKETS_A_PROCESS", 2_000, maximum=100_000)
# Memory of a process above which it refuses bodies over 1 MB.
MEMORY_MAX_MB = environment.integer("MEMORY_MAX_MB", 2_000, maximum=1_000_000)
REDIS_URL = environment.url("REDIS_URL", "redis", "rediss", "unix")
# Without Redis, sockets receive messages of other processes through the database, within two seconds.
CHANNEL_LAYERS = environment.channel_layers(REDIS_URL)
# Used for django-allauth's rate limits, among others.
CACHES = environment.caches(REDIS_URL)
TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
# Whether users may sign up; by default only in local installations.
ALLOW_SIGNUP = environment.boolean("ALLOW_SIGNUP", default=LOCAL_INSTALL)
# Without EMAIL_URL no mail is sent, and administrators create one-time links for forgotten passwords.
SENDS_MAIL = bool(environment.text("EMAIL_URL"))
environment.check_mail_hosts(ALLOWED_HOSTS, sends_mail=SENDS_MAIL)
_mail = parse_email_url(environment.text("EMAIL_URL"))
EMAIL_BACKEND, EMAIL_HOST, EMAIL_PORT = _mail.backend, _mail.host, _mail.port
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _mail.user, _mail.password
EMAIL_USE_SSL, EMAIL_USE_TLS, EMAIL_FILE_PATH = _mail.tls, _mail.starttls, _mail.folder
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = SERVER_EMAIL = environment.text("EMAIL_FROM") or _mail.sender
# Addresses or networks of proxies whose X-Forwarded-For is trusted.
TRUSTED_PROXIES = environment.networks("TRUSTED_PROXIES")
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "tables_list"
LOGOUT_REDIRECT_URL = "account_login"
CSRF_FAILURE_VIEW = "chatproject.views.csrf_failure"
SESSION_ENGINE = "accounts.sessions.store"
# django-allauth. Users have a name and at most one e-mail address, which is confirmed by a link.
ACCOUNT_ADAPTER = "accounts.sign_in.adapter.AccountAdapter"
ACCOUNT_FORMS = {
    "signup": "accounts.sign_in.forms.SignUpForm",
    "add_email": "accounts.sign_in.forms.AddAddressForm",
    "reset_password": "accounts.sign_in.forms.RequestResetForm",
    "user_token": "accounts.sign_in.forms.ResetLinkForm",
}
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_CHANGE_EMAIL = True
# Does not reveal whether an address is in use: several users may add it, and the first to open the link gets it.
ACCOUNT_PREVENT_ENUMERATION = "strict"
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_SESSION_REMEMBER = True
MFA_ADAPTER = "accounts.sign_in.second_step.SecondStepAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_FORMS = {
    "authenticate": "accounts.sign_in.second_step_forms.SecondStepCodeForm",
    "reauthenticate": "accounts.sign_in.second_step_forms.ConfirmCodeForm",
    "add_webauthn": "accounts.sign_in.second_step_forms.AddPasskeyForm",
    "authenticate_webauthn": "accounts.sign_in.second_step_forms.SecondStepPasskeyForm",
    "login_webauthn": "accounts.sign_in.second_step_forms.SignInPasskeyForm",
    "reauthenticate_webauthn": "accounts.sign_in.second_step_forms.ConfirmPasskeyForm",
}
# The clock of a phone may be off by half a minute.
MFA_TOTP_TOLERANCE = 1
# Users with an unconfirmed address may turn on two-factor authentication.
MFA_ALLOW_UNVERIFIED_EMAIL = True
# Single sign-on, if issuer, client id and secret are set. Users are matched by their confirmed address.
OIDC_ISSUER = environment.url("OIDC_ISSUER", "https", "http")
OIDC_NAME = environment.text("OIDC_NAME") or "single sign-on"
OIDC_SIGNUP = environment.boolean("OIDC_SIGNUP", default=ALLOW_SIGNUP)
SOCIALACCOUNT_PROVIDERS = environment.identity_provider(
    issuer=OIDC_ISSUER,
    client_id=environment.text("OIDC_CLIENT_ID"),
    client_secret=environment.text("OIDC_CLIENT_SECRET"),
    name=OIDC_NAME,
)
SOCIALACCOUNT_ADAPTER = "accounts.sign_in.single_sign_on.SingleSignOnAdapter"
SOCIALACCOUNT_EMAIL_AUTHENTICATION = SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
# A form that redirects to another site would need its origin in the content security policy; a link does not.
SOCIALACCOUNT_LOGIN_ON_GET = True
PASSWORD_RESET_TIMEOUT = 30 * 60
ACCOUNT_RATE_LIMITS = {
    "signup": "10/m/ip",
    # The adapter counts passwords, with exceptions for known browsers. `login_failed` limits second steps.
    "login": None,
    "login_failed": "5/5m/key",
    "reset_password": "30/h/ip,5/h/key",
    "confirm_email": "5/h/key",
    # Sends mail to addresses that may belong to other persons.
    "manage_email": "10/m/user,20/h/user,30/h/ip",
}
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = not LOCAL_INSTALL
# Behind a proxy that terminates TLS and sets X-Forwarded-Proto. HTTP is redirected, and HSTS is enabled.
if environment.boolean("HTTPS"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    # Probes and metrics are requested without the proxy.
    SECURE_REDIRECT_EXEMPT = ["^healthz$", "^readyz$", "^metrics$"]
    # Not for subdomains and without preloading: only the owner of the domain can decide that, in the proxy.
    SECURE_HSTS_SECONDS = 365 * 24 * 3600
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        # PDF documents in cells.
        "frame-src": ["'self'"],
        "manifest-src": ["'self'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
}

# The language of texts in the code. Pages are in the user's language if `locale/` has a translation.
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = "chatproject.formats"
USE_I18N = True
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder", "chatproject.assets.AppFilesFinder"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    # Files of tables. They are sent by the app only, which checks the rights of the table.
    "files": file_storage_from_environment(DATA_DIR / "files"),
    "staticfiles": {"BACKEND": "chatproject.assets.HashedStorage"},
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": ["chatproject.json_body.StrictJsonParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "chatproject.json_body.AlwaysJson",
    "DEFAULT_RENDERER_CLASSES": ["chatproject.json_body.CompactJsonRenderer"],
    "EXCEPTION_HANDLER": "chatproject.errors.drf_exception_handler",
    "URL_FORMAT_OVERRIDE": None,
    "DEFAULT_SCHEMA_CLASS": "chatproject.openapi.schema.ApiSchema",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
API_CALLS_A_MINUTE = environment.integer("API_CALLS_A_MINUTE", 6_000, maximum=1_000_000)
API_TOKEN_CALLS_A_MINUTE = environment.integer("API_TOKEN_CALLS_A_MINUTE", 3_000, maximum=1_000_000)
IDEMPOTENCY_WAIT_SECONDS = environment.integer("IDEMPOTENCY_WAIT_SECONDS", 20, maximum=20)
DATA_UPLOAD_MAX_MEMORY_SIZE = 20 * 1024 * 1024
FILE_UPLOAD_HANDLERS = [
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "chatproject.uploads.UnnamedFileUploadHandler",
]
# The form of an import has up to six fields for each column.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5_000
# Seconds after which a client that reads nothing of a streamed response is disconnected.
STALL_SECONDS = environment.integer("STALL_SECONDS", 30, maximum=600)
# Seconds that running requests and turns get when a process shuts down.
DRAIN_SECONDS = environment.integer("DRAIN_SECONDS", 60, minimum=0, maximum=1_800)

TABLES_MAX_COLUMNS = environment.integer("TABLES_MAX_COLUMNS", 500, maximum=500)
TABLES_MAX_ROWS = environment.integer("TABLES_MAX_ROWS", 1_000_000, maximum=1_000_000)
TABLES_MAX_OPTIONS = environment.integer("TABLES_MAX_OPTIONS", 1_000, maximum=1_000)
TABLES_MAX_CELL_KB = environment.integer("TABLES_MAX_CELL_KB", 64, maximum=64)
# Uploaded files are stored in the database for a day.
IMPORT_MAX_MB = environment.integer("IMPORT_MAX_MB", 200, maximum=2_000)
# A file in a cell, and all files that a user has uploaded.
FILE_MAX_MB = environment.integer("FILE_MAX_MB", 25, maximum=2_000)
FILES_MAX_GB = environment.integer("FILES_MAX_GB", 5, maximum=100_000)
# Partitions of the rows on PostgreSQL, when they are created. The list of tables locks all of them and their indexes:
# with 64, PostgreSQL's default `max_locks_per_transaction` is too low for 71 such requests at the same time.
TABLES_PARTITIONS = environment.integer("TABLES_PARTITIONS", 16, maximum=1_024)
# Days for which changes can be undone.
TABLES_CHANGES_DAYS = environment.integer("TABLES_CHANGES_DAYS", 30, minimum=30, maximum=36_500)

ANTHROPIC_API_KEY = environment.text("ANTHROPIC_API_KEY")
ANTHROPIC_BASE_URL = environment.url("ANTHROPIC_BASE_URL", "https", "http")
ANTHROPIC_CUSTOM_HEADERS = environment.headers("ANTHROPIC_CUSTOM_HEADERS")
# Several models to choose from, the default one first (docs/models.md); CHAT_MODEL is then its name.
CHAT_MODELS = environment.chat_models("CHAT_MODELS")
CHAT_MODEL = CHAT_MODELS[0].name if CHAT_MODELS else environment.text("CHAT_MODEL") or "claude-sonnet-5"
# The file of `start --model`: its replies are used in place of any model. For development only.
CHAT_SCRIPT = ""
CHAT_MAX_TOKENS = environment.integer("CHAT_MAX_TOKENS", 16_000, maximum=64_000)
CHAT_MAX_ITERATIONS = environment.integer("CHAT_MAX_ITERATIONS", 5, maximum=20)
CHAT_MAX_TOOL_CALLS = environment.integer("CHAT_MAX_TOOL_CALLS", 12, maximum=50)
CHAT_CALL_SECONDS = environment.integer("CHAT_CALL_SECONDS", 120, maximum=600)
# Other servers than Anthropic's may have to load their model first; 0 means no additional time.
CHAT_FIRST_TOKEN_SECONDS = environment.integer("CHAT_FIRST_TOKEN_SECONDS", 240, minimum=0, maximum=1_800)
CHAT_TURN_SECONDS = environment.integer("CHAT_TURN_SECONDS", 300, maximum=1_800)
CHAT_RETRIES = environment.integer("CHAT_RETRIES", 2, minimum=0, maximum=2)
CHAT_RETRY_SECONDS = environment.integer("CHAT_RETRY_SECONDS", 20, minimum=0, maximum=20)
CHAT_CONTEXT_TOKENS = environment.integer("CHAT_CONTEXT_TOKENS", 200_000, maximum=1_000_000)
# The API documents a comment line at least every 15 s, so this must be less.
CHAT_HEARTBEAT_SECONDS = environment.integer("CHAT_HEARTBEAT_SECONDS", 10, maximum=14)
CHAT_TURNS_A_MINUTE = environment.integer("CHAT_TURNS_A_MINUTE", 20, maximum=1_000)
CHAT_STREAMS_A_USER = environment.integer("CHAT_STREAMS_A_USER", 4, maximum=100)
CHAT_STREAMS_A_PROCESS = environment.integer("CHAT_STREAMS_A_PROCESS", 300, maximum=10_000)
CHAT_TOKENS_A_DAY = environment.integer("CHAT_TOKENS_A_DAY", 1_000_000, maximum=100_000_000)
CHAT_TRACE_DAYS = environment.integer("CHAT_TRACE_DAYS", 30, maximum=365)
# US dollars per million tokens. Without the first two, no costs are shown.
CHAT_PRICE_INPUT = environment.decimal("CHAT_PRICE_INPUT")
CHAT_PRICE_OUTPUT = environment.decimal("CHAT_PRICE_OUTPUT")
CHAT_PRICE_CACHED = environment.decimal("CHAT_PRICE_CACHED")
environment.check_prices(CHAT_PRICE_INPUT, CHAT_PRICE_OUTPUT)

# Fills of columns (docs/administrators.md). Without a model of their own, they use that of the chat.
FILL_MODEL = environment.text("FILL_MODEL")
# Further models that users can choose for a fill.
FILL_MODELS = environment.comma_separated("FILL_MODELS")
FILL_MAX_ROWS = environment.integer("FILL_MAX_ROWS", 10_000, maximum=10_000)
# Calls at the same time: of a worker, and how many workers work on a fill.
FILL_CONCURRENCY = environment.integer("FILL_CONCURRENCY", 4, maximum=64)
FILL_WORKERS = environment.integer("FILL_WORKERS", 2, maximum=16)
# Whether users may have results of high confidence applied without a review.
FILL_CONFIDENT = environment.boolean("FILL_CONFIDENT", default=True)
# Whether rows that a batch has not answered are called for, at the full price; they fail otherwise.
FILL_BATCH_RETRIES = environment.boolean("FILL_BATCH_RETRIES", default=True)

# Sources from the web, by the tools of Anthropic's API: searches and opened pages in each call, 0 for none.
FILL_WEB_SEARCHES = environment.integer("FILL_WEB_SEARCHES", 3, minimum=0, maximum=20)
FILL_WEB_PAGES = environment.integer("FILL_WEB_PAGES", 0, minimum=0, maximum=20)
# Only these domains, or all except these.
FILL_WEB_ALLOWED_DOMAINS = environment.domains("FILL_WEB_ALLOWED_DOMAINS")
FILL_WEB_BLOCKED_DOMAINS = environment.domains("FILL_WEB_BLOCKED_DOMAINS")
environment.check_domains(FILL_WEB_ALLOWED_DOMAINS, FILL_WEB_BLOCKED_DOMAINS)

# Requests with this bearer token may read /metrics from any address.
METRICS_TOKEN = environment.text("METRICS_TOKEN")
# Time for metrics from the database; later ones are missing in the response.
METRICS_DATABASE_SECONDS = environment.integer("METRICS_DATABASE_SECONDS", 1, maximum=60)
LOG_LEVEL = environment.choice("LOG_LEVEL", *environment.LEVELS, default="info").upper()
# JSON for log collectors, or text for terminals.
LOG_FORMAT = environment.choice("LOG_FORMAT", "line", "json", default="line" if LOCAL_INSTALL else "json")
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name} {message}", "style": "{"},
        "json": {"()": "chatproject.observability.logs.JsonFormatter"},
    },
    "filters": {
        "without_keys": {"()": "chatproject.observability.logs.RedactKeysFilter"},
        "refusals": {"()": "chatproject.observability.logs.ShortErrorsFilter"},
        "repeated": {"()": "chatproject.observability.logs.RepeatedMessagesFilter"},
    },
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["without_keys", "refusals"]},
    },
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {name: {"level": LOG_LEVEL} for name in ("chatproject", "accounts", "fills", "tables", "chat")}
    | {"django_tasks_db": {"level": "ERROR"}, "psycopg.pool": {"filters": ["repeated"]}}
    | {
        # Too many lines for a terminal.
        name: {"level": LOG_LEVEL if LOG_FORMAT == "json" else "WARNING"}
        for name in ("chatproject.requests", "chatproject.processes")
    },
}

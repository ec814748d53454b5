"""All settings; the environment is read here and nowhere else."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import dj_database_url

from chatproject import environment
from chatproject.mail_url import read_mail_url
from chatproject.openapi_settings import SPECTACULAR_SETTINGS as SPECTACULAR_SETTINGS

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = environment.data_dir(BASE_DIR)

DEBUG = environment.flag("DEBUG")
ALLOWED_HOSTS = environment.hosts("ALLOWED_HOSTS") or ["127.0.0.1", "localhost", "[::1]"]
CSRF_TRUSTED_ORIGINS = environment.origins("CSRF_TRUSTED_ORIGINS")
LOCAL_INSTALL = not set(ALLOWED_HOSTS) - environment.LOOPBACK
SECRET_KEY = environment.secret_key(DATA_DIR, hosts=ALLOWED_HOSTS)

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
    # Before `django_tasks_db`: its `db_worker` also keeps the schedule and takes up what a killed worker left.
    "chatproject",
    "django_tasks",
    "django_tasks_db",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
    "accounts",
    "tables",
    "chat",
]

MIDDLEWARE = [
    "chatproject.metrics.receivers.measured_requests",
    "chatproject.inline_middleware.SecurityMiddleware",
    "chatproject.middleware.RequestIdMiddleware",
    "chatproject.inline_middleware.CSPMiddleware",
    "chatproject.middleware.ChunkedBodyMiddleware",
    "chatproject.inline_middleware.SessionMiddleware",
    "chatproject.middleware.SlashMiddleware",
    "chatproject.inline_middleware.CsrfViewMiddleware",
    "chatproject.inline_middleware.AuthenticationMiddleware",
    "chatproject.inline_middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "chatproject.inline_middleware.XFrameOptionsMiddleware",
    "chatproject.api_access.ApiAccessMiddleware",
    "chatproject.middleware.MethodMiddleware",
    "chatproject.timezone_middleware.OwnZoneMiddleware",
    "chatproject.language_middleware.OwnLanguageMiddleware",
    "chatproject.middleware.QueryMiddleware",
    "chatproject.middleware.BodyLimitMiddleware",
    "chatproject.middleware.ApiErrorMiddleware",
    "chatproject.request_limits.RequestLimitMiddleware",
    "chatproject.idempotency.OnceMiddleware",
]
# Django looks for three of them by its own names; they are there, by ours.
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
            ],
        },
    },
]

# As many as a process may hold at a time (PostgreSQL): whoever finds none waits for one.
DATABASE_CONNECTIONS = environment.whole("DATABASE_CONNECTIONS", 16, least=4, most=100)
DATABASES = {
    "default": dj_database_url.parse(
        environment.address("DATABASE_URL", "postgres", "postgresql", "sqlite")
        or f"sqlite:///{DATA_DIR / 'db.sqlite3'}",
        conn_max_age=0,
    )
}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["ENGINE"] = "chatproject.sqlite"
    # IMMEDIATE takes the write lock at the start of a transaction: without it, more than half of contended writes
    # fail with "database is locked".
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        # For what has no time limit; statements of a request wait DATABASE_LOCK_SECONDS.
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
else:
    DATABASES["default"]["ENGINE"] = "chatproject.postgresql"
    DATABASES["default"]["OPTIONS"] = {"pool": {"min_size": 0, "max_size": DATABASE_CONNECTIONS, "timeout": 10}}
# Seconds that the database may work for one request, and that one of its statements may wait for a lock.
DATABASE_READ_SECONDS = environment.whole("DATABASE_READ_SECONDS", 5, most=3_600)
DATABASE_WRITE_SECONDS = environment.whole("DATABASE_WRITE_SECONDS", 20, most=3_600)
DATABASE_LONG_SECONDS = environment.whole("DATABASE_LONG_SECONDS", 600, most=86_400)
DATABASE_LOCK_SECONDS = environment.whole("DATABASE_LOCK_SECONDS", 5, most=3_600)
# Requests of one user, or of one visitor's address, that a process works on at a time.
REQUESTS_AT_ONCE = environment.whole("REQUESTS_AT_ONCE", 4, most=100)
# Open sockets of a process; at most half of the files that it may have open.
SOCKETS_A_PROCESS = environment.whole("SOCKETS_A_PROCESS", 2_000, most=100_000)
# Memory of the process above which it takes no bodies over 1 MB.
MEMORY_MAX_MB = environment.whole("MEMORY_MAX_MB", 2_000, most=1_000_000)
REDIS_URL = environment.address("REDIS_URL", "redis", "rediss", "unix")
# Without Redis, sockets hear of changes made in their own process at once, of others within two seconds.
CHANNEL_LAYERS = environment.channel_layers(REDIS_URL)
# Counts of django-allauth's limits.
CACHES = environment.caches(REDIS_URL)
TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
# People may make accounts for themselves; of an install that others reach, whoever runs it decides.
ALLOW_SIGNUP = environment.flag("ALLOW_SIGNUP", default=LOCAL_INSTALL)
# Mail goes out where this says how; elsewhere whoever forgot a password asks for a one-time link.
SENDS_MAIL = bool(environment.text("EMAIL_URL"))
environment.refuse_any_host(ALLOWED_HOSTS, sends_mail=SENDS_MAIL)
_mail = read_mail_url(environment.text("EMAIL_URL"))
EMAIL_BACKEND, EMAIL_HOST, EMAIL_PORT = _mail.backend, _mail.host, _mail.port
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _mail.user, _mail.password
EMAIL_USE_SSL, EMAIL_USE_TLS, EMAIL_FILE_PATH = _mail.tls, _mail.starttls, _mail.folder
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = SERVER_EMAIL = environment.text("EMAIL_FROM") or _mail.sender
# Proxies whose X-Forwarded-For says who asks: addresses or networks.
TRUSTED_PROXIES = environment.networks("TRUSTED_PROXIES")
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "tables_list"
LOGOUT_REDIRECT_URL = "account_login"
CSRF_FAILURE_VIEW = "chatproject.views.csrf_failure"
SESSION_ENGINE = "accounts.session_store"
# django-allauth. Users have a name and at most one e-mail address, which is confirmed by a link.
ACCOUNT_ADAPTER = "accounts.adapter.AccountAdapter"
ACCOUNT_FORMS = {
    "signup": "accounts.forms.SignUpForm",
    "add_email": "accounts.forms.AddAddressForm",
    "reset_password": "accounts.forms.AskForResetForm",
    "user_token": "accounts.forms.ResetLinkForm",
}
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_CHANGE_EMAIL = True
# Does not reveal whose address it is: several users may add one, and the first to open the link gets it.
ACCOUNT_PREVENT_ENUMERATION = "strict"
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_SESSION_REMEMBER = True
MFA_ADAPTER = "accounts.second_step.SecondStepAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_FORMS = {
    "authenticate": "accounts.second_step_forms.SecondStepCodeForm",
    "reauthenticate": "accounts.second_step_forms.ConfirmCodeForm",
    "add_webauthn": "accounts.second_step_forms.AddPasskeyForm",
    "authenticate_webauthn": "accounts.second_step_forms.SecondStepPasskeyForm",
    "login_webauthn": "accounts.second_step_forms.SignInPasskeyForm",
    "reauthenticate_webauthn": "accounts.second_step_forms.ConfirmPasskeyForm",
}
MFA_TOTP_ISSUER = "table chat"
# The clock of a phone may be off by half a minute.
MFA_TOTP_TOLERANCE = 1
# Users with an unconfirmed address may turn on two-factor authentication.
MFA_ALLOW_UNVERIFIED_EMAIL = True
# Single sign-on, where the first three are set: users of this identity provider, found by their confirmed address.
OIDC_ISSUER = environment.address("OIDC_ISSUER", "https", "http")
OIDC_NAME = environment.text("OIDC_NAME") or "single sign-on"
OIDC_SIGNUP = environment.flag("OIDC_SIGNUP", default=ALLOW_SIGNUP)
SOCIALACCOUNT_PROVIDERS = environment.identity_provider(
    issuer=OIDC_ISSUER,
    client_id=environment.text("OIDC_CLIENT_ID"),
    client_secret=environment.text("OIDC_CLIENT_SECRET"),
    name=OIDC_NAME,
)
SOCIALACCOUNT_ADAPTER = "accounts.single_sign_on.SingleSignOnAdapter"
SOCIALACCOUNT_EMAIL_AUTHENTICATION = SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
# A form that leads to another site would need its address in the content security policy; a link does not.
SOCIALACCOUNT_LOGIN_ON_GET = True
PASSWORD_RESET_TIMEOUT = 30 * 60
ACCOUNT_RATE_LIMITS = {
    "signup": "10/m/ip",
    # The adapter counts passwords, with exceptions for known browsers. `login_failed` limits second steps.
    "login": None,
    "login_failed": "5/5m/key",
    "reset_password": "30/h/ip,5/h/key",
    "confirm_email": "5/h/key",
    # Sends mails to addresses that may belong to other people.
    "manage_email": "10/m/user,20/h/user,30/h/ip",
}
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = not LOCAL_INSTALL
# Behind a proxy that speaks TLS, and says so: everything else is sent on to https, and browsers remember it.
if environment.flag("HTTPS"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    # Probes and metrics come from within, past the proxy.
    SECURE_REDIRECT_EXEMPT = ["^healthz$", "^readyz$", "^metrics$"]
    # Whether every subdomain speaks TLS, and for ever, whoever owns the domain knows; the proxy can say so.
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
        "manifest-src": ["'self'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
}

# The language of texts in the code; pages are in the reader's own where there is a translation in `locale/`.
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
API_CALLS_A_MINUTE = environment.whole("API_CALLS_A_MINUTE", 6_000, most=1_000_000)
API_TOKEN_CALLS_A_MINUTE = environment.whole("API_TOKEN_CALLS_A_MINUTE", 3_000, most=1_000_000)
IDEMPOTENCY_WAIT_SECONDS = environment.whole("IDEMPOTENCY_WAIT_SECONDS", 20, most=20)
DATA_UPLOAD_MAX_MEMORY_SIZE = 20 * 1024 * 1024
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.MemoryFileUploadHandler", "chatproject.uploads.OnDisk"]
# A form says up to six things of each column of a file.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5_000
# A reader that takes nothing of a streamed answer for so long loses the connection.
STALL_SECONDS = environment.whole("STALL_SECONDS", 30, most=600)
# A process that is told to end takes nothing new, and gives what runs so long to come to its end.
DRAIN_SECONDS = environment.whole("DRAIN_SECONDS", 60, least=0, most=1_800)

TABLES_MAX_COLUMNS = environment.whole("TABLES_MAX_COLUMNS", 500, most=500)
TABLES_MAX_ROWS = environment.whole("TABLES_MAX_ROWS", 1_000_000, most=1_000_000)
TABLES_MAX_OPTIONS = environment.whole("TABLES_MAX_OPTIONS", 1_000, most=1_000)
TABLES_MAX_CELL_KB = environment.whole("TABLES_MAX_CELL_KB", 64, most=64)
# Uploads of files to import are kept in the database, for a day.
IMPORT_MAX_MB = environment.whole("IMPORT_MAX_MB", 200, most=2_000)
# What was done can be undone for at least a month.
TABLES_CHANGES_DAYS = environment.whole("TABLES_CHANGES_DAYS", 30, least=30, most=36_500)

ANTHROPIC_API_KEY = environment.text("ANTHROPIC_API_KEY")
ANTHROPIC_BASE_URL = environment.address("ANTHROPIC_BASE_URL", "https", "http")
ANTHROPIC_CUSTOM_HEADERS = environment.headers("ANTHROPIC_CUSTOM_HEADERS")
# Several models to choose from, the default one first (docs/models.md); CHAT_MODEL is its name then.
CHAT_MODELS = environment.chat_models("CHAT_MODELS")
CHAT_MODEL = CHAT_MODELS[0].name if CHAT_MODELS else environment.text("CHAT_MODEL") or "claude-sonnet-5"
CHAT_MAX_TOKENS = environment.whole("CHAT_MAX_TOKENS", 16_000, most=64_000)
CHAT_MAX_ITERATIONS = environment.whole("CHAT_MAX_ITERATIONS", 5, most=20)
CHAT_MAX_TOOL_CALLS = environment.whole("CHAT_MAX_TOOL_CALLS", 12, most=50)
CHAT_CALL_SECONDS = environment.whole("CHAT_CALL_SECONDS", 120, most=600)
# Servers other than Anthropic's may have to load their model first; 0 for those that do not.
CHAT_FIRST_TOKEN_SECONDS = environment.whole("CHAT_FIRST_TOKEN_SECONDS", 240, least=0, most=1_800)
CHAT_TURN_SECONDS = environment.whole("CHAT_TURN_SECONDS", 300, most=1_800)
CHAT_RETRIES = environment.whole("CHAT_RETRIES", 2, least=0, most=2)
CHAT_RETRY_SECONDS = environment.whole("CHAT_RETRY_SECONDS", 20, least=0, most=20)
CHAT_CONTEXT_TOKENS = environment.whole("CHAT_CONTEXT_TOKENS", 200_000, most=1_000_000)
# A comment line is promised at least every 15 s: what is due at the last moment comes after it.
CHAT_HEARTBEAT_SECONDS = environment.whole("CHAT_HEARTBEAT_SECONDS", 10, most=14)
CHAT_TURNS_A_MINUTE = environment.whole("CHAT_TURNS_A_MINUTE", 20, most=1_000)
CHAT_STREAMS_A_USER = environment.whole("CHAT_STREAMS_A_USER", 4, most=100)
CHAT_STREAMS_A_PROCESS = environment.whole("CHAT_STREAMS_A_PROCESS", 300, most=10_000)
CHAT_TOKENS_A_DAY = environment.whole("CHAT_TOKENS_A_DAY", 1_000_000, most=100_000_000)
CHAT_TRACE_DAYS = environment.whole("CHAT_TRACE_DAYS", 30, most=365)
# US dollars for a million tokens; without the first two no cost is shown anywhere.
CHAT_PRICE_INPUT = environment.amount("CHAT_PRICE_INPUT")
CHAT_PRICE_OUTPUT = environment.amount("CHAT_PRICE_OUTPUT")
CHAT_PRICE_CACHED = environment.amount("CHAT_PRICE_CACHED")
environment.refuse_half_a_price(CHAT_PRICE_INPUT, CHAT_PRICE_OUTPUT)

# Whoever sends it as a bearer token reads /metrics from anywhere.
METRICS_TOKEN = environment.text("METRICS_TOKEN")
LOG_LEVEL = environment.one_of("LOG_LEVEL", *environment.LEVELS, default="info").upper()
# One event a line, for whatever collects logs; lines for people where nobody does.
LOG_FORMAT = environment.one_of("LOG_FORMAT", "line", "json", default="line" if LOCAL_INSTALL else "json")
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name} {message}", "style": "{"},
        "json": {"()": "chatproject.logs.JsonLines"},
    },
    "filters": {
        "without_keys": {"()": "chatproject.logs.WithoutKeys"},
        "refusals": {"()": "chatproject.logs.Refusals"},
    },
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["without_keys", "refusals"]},
    },
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {name: {"level": LOG_LEVEL} for name in ("chatproject", "accounts", "tables", "chat")}
    | {"django_tasks_db": {"level": "ERROR"}}
    | {
        # Of use to whoever collects logs, and in the way of whoever reads them at a terminal.
        name: {"level": LOG_LEVEL if LOG_FORMAT == "json" else "WARNING"}
        for name in ("chatproject.requests", "chatproject.processes")
    },
}

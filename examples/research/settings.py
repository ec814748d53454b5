"""The settings of Table Chat with this application installed."""
import os

from chatproject.settings import *  # noqa: F403  # settings modules extend each other this way
from chatproject.settings import INSTALLED_APPS as PROJECT_APPS

INSTALLED_APPS = [*PROJECT_APPS, "examples.research"]
ROOT_URLCONF = "examples.research.urls"
LOGIN_REDIRECT_URL = "streams"

PUBMED_URL = os.environ.get("PUBMED_URL", "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/")
# Without a key PubMed allows three requests a second.
PUBMED_API_KEY = os.environ.get("PUBMED_API_KEY", "")
PUBMED_SECONDS = float(os.environ.get("PUBMED_SECONDS", "10"))

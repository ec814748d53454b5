"""Models: a stream has sources and keywords; each of its executions has a report with articles."""
from django.conf import settings
from django.db import models


class Stream(models.Model):
    """A research question that its owner follows."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="streams")
    name = models.CharField(max_length=100)
    purpose = models.TextField(max_length=1000, blank=True)

    class Meta:
        ordering = ["name", "id"]


class SetupEntry(models.Model):
    """Common fields of sources and keywords."""

    stream = models.ForeignKey(Stream, on_delete=models.CASCADE, related_name="%(class)ss")
    name = models.CharField(max_length=100)

    class Meta:
        abstract = True
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["stream", "name"], name="%(class)s_name")]


class Source(SetupEntry):
    """A PubMed query that finds articles for a stream."""

    query = models.CharField(max_length=500)


class Keyword(SetupEntry):
    """A word that makes an article of a stream important if its title has it."""


class SetupChange(models.Model):
    """An applied proposal: which sources and keywords it added and removed, to undo it."""

    stream = models.ForeignKey(Stream, on_delete=models.CASCADE, related_name="changes")
    added = models.JSONField()
    removed = models.JSONField()


class Execution(models.Model):
    """One run of all sources of a stream; `found` is the number of articles that PubMed has for them."""

    stream = models.ForeignKey(Stream, on_delete=models.CASCADE, related_name="executions")
    started_at = models.DateTimeField(auto_now_add=True)
    found = models.PositiveIntegerField()

    class Meta:
        ordering = ["-id"]


class Report(models.Model):
    """The result of an execution: the articles that no earlier report of the stream has."""

    execution = models.OneToOneField(Execution, on_delete=models.CASCADE)


class Article(models.Model):
    """An article of a report; `matches` is the number of keywords in its title."""

    report = models.ForeignKey(Report, on_delete=models.CASCADE, related_name="articles")
    pmid = models.CharField(max_length=20)
    title = models.TextField()
    authors = models.TextField(blank=True)
    journal = models.CharField(max_length=200, blank=True)
    published = models.CharField(max_length=40, blank=True)
    matches = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-matches", "id"]

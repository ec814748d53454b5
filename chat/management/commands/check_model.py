"""Command `check_model`: check what the assistant's model and its server support."""
from __future__ import annotations

import textwrap
from argparse import ArgumentParser
from typing import Any

from asgiref.sync import async_to_sync
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from chat.agent.clock import SystemClock
from chat.provider.chat_models import ChatModel
from chat.provider.configured import is_demo, model_named, models
from chat.selectors.configuration.catalogue import current_catalogue
from chat.services.configuration.model_checks import save_check
from chat.turns.database import in_database
from chat.turns.model_check import Finding, check_model, works
from chat.turns.model_clients import make_client
from shared import strictjson

DEMO = "The assistant uses the built-in demo model. Set ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL to use another one."
WIDTH = 100


class Command(BaseCommand):
    help = "Check that a model works with the assistant. Uses a few thousand tokens."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", nargs="?", default="", help="model to check (default: the configured one)")

    def handle(self, *args: Any, name: str, **options: Any) -> None:
        if is_demo():
            raise CommandError(DEMO)
        if name and models() and name not in {model.name for model in models()}:
            raise CommandError(f"CHAT_MODELS has no model {name!r}.")
        model = model_named(name or current_catalogue().engine.model)
        self.stdout.write(f"Checking {model.label} at {model.server} …")
        self.stdout.flush()
        if not works(async_to_sync(self._check)(model)):
            raise CommandError(f"The assistant does not work with {model.label}.")
        self.stdout.write(f"The assistant works with {model.label}.")

    async def _check(self, model: ChatModel) -> list[Finding]:
        engine, clock = (await in_database(current_catalogue)).engine, SystemClock()
        client = make_client(model, engine=engine, clock=clock)
        findings: list[Finding] = []
        try:
            trials = check_model(
                client, clock=clock, seconds=float(engine.call_seconds), max_seconds=float(engine.turn_seconds)
            )
            async for finding in trials:
                findings.append(finding)
                self._show(finding)
        finally:
            await client.aclose()
        stored = [strictjson.replace_unstorable(finding.as_json()) for finding in findings]
        await in_database(save_check, model, findings=stored, lacks=client.lacks, now=timezone.now())
        return findings

    def _show(self, finding: Finding) -> None:
        """Print a row of the table at once, because a trial may take a minute."""
        mark = "yes" if finding.works else "NO" if finding.needed else "no"
        lines = textwrap.wrap(finding.detail, WIDTH) or [""]
        self.stdout.write(f"  {finding.name:<14} {mark:<4} {lines[0]}")
        for line in lines[1:]:
            self.stdout.write(f"  {'':<19} {line}")
        self.stdout.flush()

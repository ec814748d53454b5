"""docs/deploy/compose.yaml starts the set-up of the systemd units."""
from __future__ import annotations

import re
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import get_commands

from chatproject import settings

DEPLOY = Path(__file__).parents[2] / "docs" / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OWN = {name: service for name, service in SERVICES.items() if "build" in service}


def test_the_services_of_a_complete_set_up_are_there() -> None:
    assert {"postgres", "redis", "migrate", "server1", "server2", "worker", "proxy"} == SERVICES.keys()
    assert {"migrate", "server1", "server2", "worker"} == OWN.keys()
    # A build must not copy what .env and the certificates contain into the image.
    ignored = (DEPLOY.parents[1] / ".dockerignore").read_text().splitlines()
    assert {"**/.env*", "docs/deploy/certificates"} <= set(ignored)


@pytest.mark.parametrize("name", SERVICES)
def test_everything_that_a_service_names_exists(name: str) -> None:
    service = SERVICES[name]
    assert set(service.get("depends_on", ())) <= SERVICES.keys()
    assert service["networks"].keys() == COMPOSE["networks"].keys()
    sources = [volume.partition(":")[0] for volume in service.get("volumes", ())]
    assert {source for source in sources if not source.startswith("./")} <= COMPOSE["volumes"].keys()
    files = [source for source in sources if source.endswith(".conf")]
    assert all((DEPLOY / file).is_file() for file in files)
    conditions = [on["condition"] for on in service["depends_on"].values()] if name in OWN else []
    assert set(conditions) <= {"service_healthy", "service_started", "service_completed_successfully"}


def test_own_containers_run_commands_with_known_variables() -> None:
    shipped = re.findall(r"^([A-Z_]+)=", (DEPLOY / "tablechat.env").read_text(), re.MULTILINE)
    for service in OWN.values():
        command = service.get("command", ["python", "manage.py", "serve"])
        assert (command[:2], command[2] in get_commands()) == (["python", "manage.py"], True)
        assert service["environment"].keys() <= set(shipped)
        assert (DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]).resolve().is_file()
        assert int(service["stop_grace_period"].rstrip("s")) > settings.DRAIN_SECONDS


def test_the_proxy_reaches_both_servers_and_is_trusted() -> None:
    addresses = {name: SERVICES[name]["networks"]["tablechat"]["ipv4_address"] for name in ("server1", "server2")}
    script = SERVICES["proxy"]["command"][-1]
    configuration = (DEPLOY / "nginx.conf").read_text()
    for substitution in re.findall(r"-e s(\S+)", script):
        old, new = substitution.split(substitution[0])[1:3]
        assert old in configuration
        configuration = configuration.replace(old, new)
    assert re.findall(r"server (\S+) max_fails", configuration) == [f"{each}:8000" for each in addresses.values()]
    trusted = OWN["server1"]["environment"]["TRUSTED_PROXIES"]
    assert trusted == SERVICES["proxy"]["networks"]["tablechat"]["ipv4_address"]


def test_no_container_is_given_the_address_of_another() -> None:
    [addresses] = COMPOSE["networks"]["tablechat"]["ipam"]["config"]
    fixed = [service["networks"]["tablechat"].get("ipv4_address") for service in SERVICES.values()]
    own = [ip_address(address) for address in fixed if address is not None]
    assert len(set(own)) == len(own) == 3
    assert all(address in ip_network(addresses["subnet"]) for address in own)
    assert not any(address in ip_network(addresses["ip_range"]) for address in own)

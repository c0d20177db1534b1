"""`ibid doctor`: check each part and each connection."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

import anyio
import click

from corpus.diagnostics import Finding
from server.commands.doctor.services import Say
from server.commands.running import FAILED, run, settings_and_logs
from server.commands.terminal import dumped, json_option, print_json, print_line
from server.settings.model import Settings

ALL_IN_ALL, AT_LAST = 26.0, 30.0
"""Maximum number of seconds for all checks together, and number of seconds after which the process exits even if a
check hangs."""


@click.command("doctor")
@json_option
def command(as_json: bool) -> None:
    """Check each configured part and connection, and explain how to fix each failure.

    For the local index, it checks the folder, the index, the embedder and the reading processes. For RAG_BACKEND=azure,
    it checks the service, the credential, both indexes and their fields, vectors and semantic ranking, and that an
    anonymous query returns no private documents. For both backends, it lets the reranker rank two texts and
    RAG_LLM_MODEL write one word. It also checks the token issuer and the key file, which identify callers over HTTP,
    and the trace exporter. Exit code 1 means that a check failed. The output never contains keys or text returned by a
    service.
    """
    settings = _quiet(settings_and_logs())
    findings: list[Finding] = []

    def say(finding: Finding) -> None:
        findings.append(finding)
        if as_json:
            return
        cure = f" {finding.cure}" if finding.cure else ""
        print_line(f"{finding.level:8} {finding.part}: {finding.text}{cure}", hanging=9)

    def timeout_report() -> str:
        hung = Finding("failed", "time", "a check does not respond and cannot be interrupted.")
        return dumped(_as_json([*findings, hung])) if as_json else f"{hung.level:8} {hung.part}: {hung.text}"

    with _ends(timeout_report):
        run(lambda: _examine(settings, say))
    bad = sum(finding.level == "failed" for finding in findings)
    warned = sum(finding.level == "warning" for finding in findings)
    if as_json:
        print_json(_as_json(findings))
    else:
        click.echo(
            f"{bad} failed, {warned} {'warning' if warned == 1 else 'warnings'}." if bad or warned else "All is well."
        )
    sys.exit(FAILED if bad else 0)


def _as_json(findings: list[Finding]) -> dict[str, Any]:
    return {
        "ok": all(finding.level != "failed" for finding in findings),
        "findings": [asdict(finding) for finding in findings],
    }


async def _examine(settings: Settings, say: Say) -> None:
    from server.commands.doctor import indexes, services

    examine = indexes.examine_azure if settings.backend == "azure" else indexes.examine_local
    with anyio.move_on_after(ALL_IN_ALL) as scope:
        await examine(settings, say)
        await services.check_reranker(settings, say)
        await services.check_callers(settings, say)
        await services.check_model(settings, say)
        _traces(settings, say)
    if scope.cancelled_caught:
        say(Finding("failed", "time", "the checks took too long; the remaining ones were skipped."))


def _traces(settings: Settings, say: Say) -> None:
    """Warn if traces are on but the exporter is not installed."""
    from server.settings.telemetry import NOT_INSTALLED, exporter_is_installed

    if settings.traces != "off" and not exporter_is_installed():
        say(Finding("warning", "traces", "No traces are sent.", NOT_INSTALLED))


def _quiet(settings: Settings) -> Settings:
    """Return the settings. Unless the log level is DEBUG, log only errors from now on, because other log lines would
    repeat the findings."""
    from server.logs import configure_logs

    if settings.log_level != "DEBUG":
        configure_logs(settings, least=logging.ERROR)
    return settings


@contextmanager
def _ends(timeout_report: Callable[[], str]) -> Iterator[None]:
    """If the block takes longer than `AT_LAST` seconds, print the text from `timeout_report` and end the process. A
    network drive that does not respond can block a thread forever, and only ending the process stops that thread."""

    def give_up() -> None:
        os.write(1, f"{timeout_report()}\n".encode())
        os._exit(FAILED)

    timer = threading.Timer(AT_LAST, give_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()

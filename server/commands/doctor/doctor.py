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
from server.commands.doctor.checks import Say
from server.commands.running import FAILED, run, settings_and_logs
from server.commands.terminal.json_output import dumped, json_option, print_json
from server.commands.terminal.terminal_wrap import print_line
from server.settings.model import Settings

ALL_IN_ALL, AT_LAST = 26.0, 30.0
"""Seconds for every check together, and after which the process ends whatever hangs in it."""


@click.command("doctor")
@json_option
def command(as_json: bool) -> None:
    """Check each part and each connection that the settings ask for, and name the cure of what does not work.

    For the local index: the folder, the index, the embedder, the reading processes. For RAG_BACKEND=azure: the service,
    the credential, both indexes and their fields, vectors, semantic ranking, and that a query without identity gets
    nothing private. For both: the reranker, which puts two texts in order; the issuer of tokens and the file of keys,
    by which callers over HTTP are known; the model of RAG_LLM_MODEL, which writes a word; and
    what sends traces. Exit code 1 says that
    something failed. No key is shown, and nothing that a service said.
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
        click.echo(f"{bad} failed, {warned} to be warned of." if bad or warned else "All is well.")
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
        say(Finding("failed", "time", "the other checks were left out: these took too long"))


def _traces(settings: Settings, say: Say) -> None:
    """Says nothing where traces are off or can be sent."""
    from server.settings.telemetry import NOT_INSTALLED, exporter_is_installed

    if settings.traces != "off" and not exporter_is_installed():
        say(Finding("warning", "traces", "None is sent.", NOT_INSTALLED))


def _quiet(settings: Settings) -> Settings:
    """Without log lines between the findings, which tell the same."""
    from server.logs import configure_logs

    if settings.log_level != "DEBUG":
        configure_logs(settings, least=logging.ERROR)
    return settings


@contextmanager
def _ends(timeout_report: Callable[[], str]) -> Iterator[None]:
    """A folder on a dead network drive holds a thread for ever, and nothing but the end of the process frees it. Then
    `timeout_report` returns the last output."""

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

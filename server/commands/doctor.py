"""`ibid doctor`"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import anyio
import click

from corpus.findings import Finding
from server.commands.finding import Say
from server.commands.running import FAILED, run, settings_and_logs
from server.commands.shown import line
from server.settings import Settings

ALL_IN_ALL, AT_LAST = 26.0, 30.0
"""Seconds for every check together, and after which the process ends whatever hangs in it."""


@click.command("doctor")
def command() -> None:
    """Try each part and each connection that the settings ask for, and say the cure of what does not work.

    For the local index: the folder, the index, the embedder, the reading processes. For RAG_BACKEND=azure: the service,
    the credential, both indexes and their fields, vectors, semantic ranking, and that a query without identity gets
    nothing private. For both: the issuer of tokens and the file of keys, by which callers over HTTP are known, and the
    model of RAG_LLM_MODEL, which writes a word. Exit code 1 says that something failed. No key is shown, and nothing
    that a service said.
    """
    settings = _quiet(settings_and_logs())
    findings: list[Finding] = []

    def say(finding: Finding) -> None:
        findings.append(finding)
        cure = f" {finding.cure}" if finding.cure else ""
        click.echo(f"{finding.level:8} {finding.part}: {line(finding.text)}{line(cure)}")

    with _ends():
        run(lambda: _examine(settings, say))
    bad = sum(1 for one in findings if one.level == "failed")
    warned = sum(1 for one in findings if one.level == "warning")
    click.echo(f"{bad} failed, {warned} to be warned of." if bad or warned else "All is well.")
    sys.exit(FAILED if bad else 0)


async def _examine(settings: Settings, say: Say) -> None:
    from server.commands import doctor_azure, doctor_callers, doctor_local, doctor_model

    examine = doctor_azure.examine if settings.backend == "azure" else doctor_local.examine
    with anyio.move_on_after(ALL_IN_ALL) as scope:
        await examine(settings, say)
        await doctor_callers.callers(settings, say)
        await doctor_model.model(settings, say)
    if scope.cancelled_caught:
        say(Finding("failed", "time", "the other checks were left out: these took too long"))


def _quiet(settings: Settings) -> Settings:
    """Without log lines between the findings, which tell the same."""
    from server.logs import configure_logs

    if settings.log_level != "DEBUG":
        configure_logs(settings.model_copy(update={"log_level": "ERROR"}), quiet=True)
    return settings


@contextmanager
def _ends() -> Iterator[None]:
    """A folder on a dead network drive holds a thread for ever, and nothing but the end of the process frees it."""

    def give_up() -> None:
        os.write(1, b"failed   time: something does not answer and cannot be interrupted.\n")
        os._exit(FAILED)

    timer = threading.Timer(AT_LAST, give_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()

"""Support for commands: load settings, configure logs, run the event loop, and print expected errors on standard
error."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
import click

from corpus.errors import AskDifferently, IbidError, NotConfigured
from server.caller import UNFILTERED
from server.calls.deadlines import within
from server.commands.terminal import one_line, print_note
from server.logs import configure_command_logs
from server.settings.model import Settings, load_settings

T = TypeVar("T")

WRONG_USE, FAILED = 2, 1

ONLY_LOCAL = (
    "RAG_BACKEND is azure, but this command works on the local index in {folder}. "
    "`ibid azure push` uploads its contents."
)


def settings_and_logs(*, local: bool = False, azure: bool = False) -> Settings:
    """Return the effective settings. End the command with exit code 2 if they are invalid.

    Set `local` for commands that use the local index even if RAG_BACKEND is azure; a note then says so. Set `azure` for
    commands that use the service even if RAG_BACKEND is local.
    """
    try:
        settings = load_settings(azure=azure)
    except NotConfigured as error:
        raise failure(error) from error
    configure_command_logs(settings)
    if settings.allow_unfiltered:
        print_note(UNFILTERED)
    if local and settings.backend == "azure":
        print_note(ONLY_LOCAL.format(folder=settings.data_dir))
    return settings


def run(main: Callable[[], Awaitable[T]], *, seconds: float | None = None) -> T:
    """Run an async command. Convert an expected error into one that click prints without a traceback. A command that
    takes longer than `seconds` fails with Timeout."""

    async def limited() -> T:
        with within(seconds):
            result = await main()
        return result  # noqa: RET504 - mypy assumes that `within` may swallow an error

    try:
        return anyio.run(limited)
    except IbidError as error:
        raise failure(error) from error
    except BaseExceptionGroup as group:
        raise _first_planned(group) from group


class WrongUse(click.ClickException):
    """An error that ends the command with exit code 2."""

    exit_code = WRONG_USE


class Failed(click.ClickException):
    """An error that ends the command with exit code 1."""

    exit_code = FAILED


def failure(error: IbidError) -> click.ClickException:
    """Return the error as an exception that click prints, with its hints indented. The exit code is 2 for invalid usage
    and settings, and 1 for other errors."""
    text = "\n".join([one_line(error), *(f"  {one_line(hint)}" for hint in error.hints)])
    return WrongUse(text) if isinstance(error, AskDifferently | NotConfigured) else Failed(text)


def _first_planned(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return a single error from a task group's exception group, because a person needs one cause. KeyboardInterrupt
    comes before any other error, and our own errors come before unexpected ones."""
    interrupted, _ = group.split(KeyboardInterrupt)
    if interrupted:
        return KeyboardInterrupt()
    planned, _ = group.split(IbidError)
    cause: BaseException = planned or group
    while isinstance(cause, BaseExceptionGroup):
        cause = cause.exceptions[0]
    return failure(cause) if isinstance(cause, IbidError) else cause

"""Configure logs: to standard error only, coloured text on a terminal, otherwise one JSON object per line.

The event of a line is a constant phrase, and its facts are in separate fields. Passages, prompts and answers are never
logged.
"""

from __future__ import annotations

import hashlib
import logging
import sys
from typing import Any, TextIO

import structlog
from structlog.typing import EventDict, Processor

from corpus.text.normalization import clean
from server.settings.model import Settings, no_color

MAX_FOREIGN = 500
"""Maximum length of a library's message in a log line, in characters. The message may quote client input."""
MAX_QUERY = 300
"""Maximum length of a search query in a log line, in characters."""


class _Handler(logging.StreamHandler[TextIO]):
    """A handler class of our own, so that a second configuration replaces this handler and no other."""


def configure_logs(
    settings: Settings, *, least: int = logging.DEBUG, plain: bool = False, stream: TextIO | None = None
) -> None:
    """Log our messages and those of libraries in one format. Messages below the level `least` are dropped, even if the
    settings allow them. With `plain`, lines are plain text."""
    out = stream or sys.stderr
    level = max(logging.getLevelName(settings.log_level), least)
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    _send_all_to(out, level, shared, [_plain_line] if plain else _renderer(settings, out))


def configure_server_logs(settings: Settings) -> None:
    """Configure logs of a stdio server. Clients show stderr as errors, so only warnings are logged, as plain text,
    unless a level is set or stderr is a terminal."""
    for_a_client = "log_level" not in settings.model_fields_set and not sys.stderr.isatty()
    least = logging.WARNING if for_a_client else logging.DEBUG
    configure_logs(settings, least=least, plain=for_a_client and settings.log_format == "auto")


def configure_command_logs(settings: Settings) -> None:
    """Configure logs of a command. Commands print their own notes, so only errors are logged, and warnings if
    RAG_LOG_LEVEL is set."""
    configure_logs(settings, least=logging.WARNING if "log_level" in settings.model_fields_set else logging.ERROR)


def search_text(query: str, *, plain: bool) -> str:
    """Return the search query for a log line: its beginning if `plain`, otherwise a digest."""
    if plain:
        return " ".join(clean(query[: 4 * MAX_QUERY]).split())[:MAX_QUERY]
    return "sha256:" + hashlib.sha256(query.encode("utf-8", "replace")).hexdigest()[:16]


def _send_all_to(out: TextIO, level: int, shared: list[Processor], render: list[Processor]) -> None:
    handler = _Handler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[_short, *shared],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *render],
        )
    )
    root = logging.getLogger()
    for old in [one for one in root.handlers if isinstance(one, _Handler)]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(level)
    # This logger quotes baggage that a client sends with a message, on a line for each part, of which there may be
    # thousands.
    logging.getLogger("opentelemetry.baggage").setLevel(logging.CRITICAL)
    # At INFO, the SDKs log what our own lines already contain: each failure, and each request with its headers.
    logging.getLogger("mcp").setLevel(max(level, logging.WARNING))
    # This logger writes each part of an answer, including passages, at DEBUG.
    logging.getLogger("sse_starlette").setLevel(max(level, logging.INFO))
    # Azure's logger writes a warning for each of a dozen sign-in methods that does not apply, and for every response
    # without a body.
    logging.getLogger("azure").setLevel(max(level, logging.ERROR))


def _renderer(settings: Settings, out: TextIO) -> list[Processor]:
    pretty = out.isatty() if settings.log_format == "auto" else settings.log_format == "pretty"
    if pretty:
        # Write the repr of every text: a client's text may contain escape sequences for the terminal.
        show = structlog.dev.ConsoleRenderer(colors=out.isatty() and not no_color(), repr_native_str=True,
                                             exception_formatter=structlog.dev.plain_traceback)  # fmt: skip
        return [structlog.processors.format_exc_info, _harmless, show]
    return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer(default=_text)]


def _plain_line(logger: Any, name: str, line: EventDict) -> str:
    """Return `ibid: warning: background.no_folder (folder=/x)`, on one line and without a traceback."""
    facts = {key: value for key, value in line.items() if key not in ("event", "level", "timestamp")}
    if facts.pop("exc_info", None):
        facts["details"] = "RAG_LOG_LEVEL=INFO shows them"
    details = ", ".join(f"{key}={value}" for key, value in facts.items())
    text = f"ibid: {line.get('level', 'info')}: {line['event']}" + (f" ({details})" if details else "")
    return " ".join(clean(text).split())


def _short(logger: Any, name: str, line: EventDict) -> EventDict:
    """Shorten a library's message to one line."""
    event = str(line["event"])
    text = " ".join(clean(event[: 2 * MAX_FOREIGN]).split())
    line["event"] = text[:MAX_FOREIGN] + ("…" if len(event) > MAX_FOREIGN else "")
    return line


def _harmless(logger: Any, name: str, line: EventDict) -> EventDict:
    """Indent tracebacks: they may quote foreign text, and none of its lines may look like a log line."""
    if "exception" in line:
        line["exception"] = clean(str(line["exception"])).replace("\n", "\n    ")
    return line


def _text(value: Any) -> str:
    return str(value)

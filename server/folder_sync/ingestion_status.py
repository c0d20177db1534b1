"""Describe a running ingestion for a client: how far it is, and what stops it."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.ingestion.run_log import LogState, RunState, read_log
from corpus.ingestion.time_left import in_words
from server.settings.model import Settings

READING = "Documents are being read; what is new can be found as it is read. Ask again soon."
CUT_SHORT = "Reading was cut short; the next ingestion goes on."
IN_THE_WAY = (
    "Not all that is to be read can be; `ibid status` says there, where the server runs, what and why."
)


def reading_notes(settings: Settings, *, of_many: bool = False) -> tuple[str, ...]:
    """Sentences, none where all is read. Looks at the disk; use it on a thread. No file is named: who asks may not
    read it. A server `of_many` callers tells them no numbers and no folders either."""
    record = read_log(settings.data_dir)
    return tuple(_for_all(settings, record) if of_many else _notes(settings, record))


def progress_notes(settings: Settings, *, of_many: bool = False) -> tuple[str, ...]:
    """Those of a reading that goes on or is about to, with which every answer begins. None where all is read."""
    record = read_log(settings.data_dir)
    alive = [run for run in record.runs if run.alive]
    if of_many:
        return (READING,) if any(run.reads or run.recognises or run.looks for run in alive) else ()
    return tuple(_progress(settings, alive))


def how_far(run: RunState) -> str:
    """`412 of 1,508 pages, about 3 minutes left`, of the stage that a run is at. The time is that of all stages."""
    if run.recognises:
        stage = f"{run.recognised:,} of {run.pictures:,} pictures"
    elif run.embeds:
        stage = f"{run.embedded:,} of {run.passages:,} passages"
    elif run.pages:
        stage = f"{run.pages_read:,} of {run.pages:,} pages"
    else:
        stage = f"{run.done:,} of {run.files:,} files"
    return stage if run.seconds_left is None or not run.alive else f"{stage}, {in_words(run.seconds_left)}"


def _for_all(settings: Settings, record: LogState) -> Iterator[str]:
    alive = [run for run in record.runs if run.alive]
    if any(run.reads or run.recognises or run.looks for run in alive):
        yield READING
    elif not alive and any(run.reads or run.recognises for run in record.runs):
        yield CUT_SHORT
    if record.failures or any(run.troubles for run in alive) or any(_folders(settings, alive)):
        yield IN_THE_WAY


def _notes(settings: Settings, record: LogState) -> Iterator[str]:
    alive = [run for run in record.runs if run.alive]
    yield from _progress(settings, alive)
    yield from (_cut_short(run) for run in record.runs if run.reads and not run.alive and not alive)
    yield from (trouble for run in alive for trouble in run.troubles)
    yield from _folders(settings, alive)
    count = len(record.failures)
    if count:
        files = "1 file" if count == 1 else f"{count} files"
        yield f"{files} could not be read; `ibid status` says which and why."


def _progress(settings: Settings, alive: list[RunState]) -> Iterator[str]:
    yield from (f"Still reading: {how_far(run)}." for run in alive if run.reads or run.recognises)
    if any(run.looks for run in alive):
        yield "Reading has just begun: it looks for files, and they can be found as they are read. Ask again soon."
    elif not alive and any(folder.is_dir() for folder in settings.documents):
        yield (
            "The folders of RAG_DOCUMENTS are not being read yet; a server begins with it a moment after its own "
            "start. Ask again soon."
        )


def _cut_short(run: RunState) -> str:
    return f"Reading was cut short at {how_far(run)}; the next ingestion goes on."


def _folders(settings: Settings, alive: list[RunState]) -> Iterator[str]:
    kept = {root for run in alive if run.watches for root in run.roots}
    troubles = {trouble for run in alive for trouble in run.troubles}
    for folder in settings.documents:
        missing = f"There is no folder {folder}."
        if not folder.is_dir():
            if missing not in troubles:
                yield missing
        elif kept and str(folder) not in kept:
            yield (
                f"{folder} is not kept up with: another server over the same data folder keeps up with other folders. "
                "Let all name the same in RAG_DOCUMENTS."
            )

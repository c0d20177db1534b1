"""Describe a running ingestion for a client: its progress and its problems."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.ingestion.run_log import LogState, RunState, read_log
from corpus.ingestion.time_left import in_words
from server.settings.model import Settings

READING = "Documents are being ingested and become searchable one by one. Ask again soon."
CUT_SHORT = "An ingestion was interrupted; the next one continues it."
IN_THE_WAY = "Some files or folders could not be read; `ibid status`, run on the server, lists them with reasons."


def reading_notes(settings: Settings, *, of_many: bool = False) -> tuple[str, ...]:
    """Return notes on the ingestion, or none if it is complete. The notes name no files, because the caller may not be
    allowed to read them. With `of_many`, which is for servers with several callers, they contain no numbers or folders
    either. Call this in a thread, because it reads from the disk."""
    record = read_log(settings.data_dir)
    return tuple(_for_all(settings, record) if of_many else _notes(settings, record))


def progress_notes(settings: Settings, *, of_many: bool = False) -> tuple[str, ...]:
    """Return notes on a running or imminent ingestion. Every answer begins with these notes."""
    record = read_log(settings.data_dir)
    alive = [run for run in record.runs if run.alive]
    if of_many:
        return (READING,) if any(run.reads or run.recognises or run.looks for run in alive) else ()
    return tuple(_progress(settings, alive))


def how_far(run: RunState) -> str:
    """Return the progress of a run's current stage, and the time left for all stages, such as `412 of 1,508 pages,
    about 3 minutes left`."""
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
        yield f"{files} could not be read; `ibid status` lists them with reasons."


def _progress(settings: Settings, alive: list[RunState]) -> Iterator[str]:
    yield from (f"Still reading: {how_far(run)}." for run in alive if run.reads or run.recognises)
    if any(run.looks for run in alive):
        yield "Ingestion has just begun and is looking for files, which become searchable one by one. Ask again soon."
    elif not alive and any(folder.is_dir() for folder in settings.documents):
        yield (
            "The folders of RAG_DOCUMENTS are not being ingested yet; ingestion begins soon after the server starts. "
            "Ask again soon."
        )


def _cut_short(run: RunState) -> str:
    return f"An ingestion was interrupted at {how_far(run)}; the next one continues it."


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
                f"{folder} is not watched: another server with the same data folder watches other folders. Set "
                "RAG_DOCUMENTS to the same folders for all."
            )

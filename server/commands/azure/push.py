"""`ibid azure push`: upload the local index to Azure AI Search."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.progress import TaskID

from corpus.index.azure.upload.outcomes import PushOutcome
from server.commands.document_argument import find_document
from server.commands.progress import Bars
from server.commands.running import FAILED, run, settings_and_logs
from server.commands.terminal import Part, one_line, output, print_line, print_note, unbroken
from server.settings.model import Settings

if TYPE_CHECKING:
    from rich.console import Console

    from corpus.index.azure import Service
    from corpus.index.azure.upload.document_upload import PictureUpload
    from corpus.index.azure.upload.outcomes import PushReport
    from corpus.index.azure.upload.pushing import PushOptions
    from corpus.index.azure.upload.remote_state import RemoteState
    from corpus.index.azure.upload.uploading import Uploader


async def reachable_service(settings: Settings, *, write: bool) -> Service:
    """Return the service, after checking that it answers. Raise NotConfigured if the settings contain no service, or if
    the credential may not read its indexes or, with `write`, may not upload to them. Raise AzureSearchError or Timeout
    if the service does not answer."""
    from corpus.index.azure import Timing
    from corpus.index.azure.service.azure_errors import WRITING
    from corpus.index.azure.service.connection import Connection
    from corpus.index.azure.upload.pushing import check_credential
    from server.bootstrap import azure_service

    service = azure_service(settings, role=WRITING, key_kind="an admin key")
    async with Connection(service, Timing(whole=15.0, read=6.5, retries=1)) as connection:
        click.echo(f"Connecting to {one_line(connection.host)} ...", err=True)
        await check_credential(connection, settings.azure_search_content_index, write=write)
    return service


_STYLES = {
    "pushed": "green", "updated": "green", "failed": "bold red", "refused": "yellow", "waiting": "yellow",
    "gone": "yellow", "removed": "yellow",
}  # fmt: skip


class TerminalPushProgress(Bars):
    """A `PushProgress` that prints the progress. It is also the context manager for the run. Unchanged documents are
    counted, not listed."""

    def __init__(self, console: Console, *, dry_run: bool = False) -> None:
        super().__init__(console)
        self._dry_run = dry_run
        self._documents: TaskID | None = None

    def document_total(self, count: int) -> None:
        """See `PushProgress`."""
        self._documents = self._bars.add_task("Documents", total=count)

    def document_waits(self, name: str, seconds: float) -> None:
        """See `PushProgress`."""
        detail = f"an upload of it was interrupted a moment ago; continuing it in {seconds:.0f} s"
        self._print("waiting", "yellow", name, detail)

    def document_done(self, outcome: PushOutcome) -> None:
        """See `PushProgress`."""
        if self._documents is not None and outcome.kind not in ("gone", "removed"):
            self._bars.advance(self._documents)
        if outcome.kind != "unchanged":
            done = outcome.kind in ("pushed", "updated", "removed")
            kind = f"would be {outcome.kind}" if self._dry_run and done else outcome.kind
            self._print(kind, _STYLES.get(outcome.kind, "default"), outcome.name, outcome.detail)


NO_MARKS = "Index {index} has no field `pushed` that records uploads, so each run uploads everything."

NO_PAGES = "Index {index} has no field `page_pictures` for the locations of pages, so none are uploaded."
PAGES_SHOWN = "Servers offer pages as pictures with RAG_AZURE_PAGES=true."
UNSEEN = (
    "{unseen} documents of the index were not checked: the service lists no more at a time, and their dates do not "
    "separate them. Documents among them that this folder uploaded were not listed or removed."
)
RECORD_LOST = (
    "the record of uploads from this folder was lost, and a new record was started. Run the same command again in a "
    "minute; until then no upload counts as finished."
)


@click.command("push")
@click.argument("documents", nargs=-1, metavar="[DOC]...")
@click.option("--public", is_flag=True, help="Also upload documents that everybody may read (*).")
@click.option("--dry-run", is_flag=True, help="Print what would happen to each document, and change nothing.")
@click.option("--pages", is_flag=True,
              help="Also upload a picture of each PDF page, of at most 150 kB.")  # fmt: skip
@click.option("--no-vectors", is_flag=True, help="Upload without vectors; existing vectors stay.")
@click.option("--prune", is_flag=True,
              help="Remove documents that this local index uploaded and no longer contains.")  # fmt: skip
@click.option("--take-over", is_flag=True,
              help="Replace documents with the same id that another folder or program uploaded.")  # fmt: skip
def command(
    documents: tuple[str, ...],
    public: bool,
    dry_run: bool,
    pages: bool,
    no_vectors: bool,
    prune: bool,
    take_over: bool,
) -> None:
    """Upload the local index (RAG_DATA_DIR), or only the given documents, to the service of AZURE_SEARCH_ENDPOINT.

    Unchanged documents are skipped, and an interrupted run continues where it stopped. Every document keeps its access
    list. Public documents are uploaded only with --public, because more people may use the service than this machine.

    Pictures of figures, and with --pages also of pages, are uploaded to the private container of
    AZURE_STORAGE_CONTAINER_URL under names that nobody can guess. Without that setting they are omitted. Pictures are
    never deleted.

    Exit code 1 means that some documents failed, were refused or wait for vectors; each is listed with its reason.
    """
    from corpus.index.azure.upload.pushing import PushOptions

    if documents and prune:
        raise click.UsageError("--prune checks the entire index, so it accepts no documents.")
    settings = settings_and_logs(azure=True)
    if pages and settings.azure_storage_container_url is None:
        raise click.UsageError("--pages needs a container for pictures: AZURE_STORAGE_CONTAINER_URL.")
    console = output()
    wishes = PushOptions(public, dry_run, prune, take_over)
    report = run(lambda: _push(settings, documents, wishes, console, vectors=not no_vectors, pages=pages))
    _print_report(report, console, dry_run=dry_run, pages=pages)
    sys.exit(FAILED if report.undone else 0)


async def _push(
    settings: Settings,
    names: tuple[str, ...],
    wishes: PushOptions,
    console: Console,
    *,
    vectors: bool,
    pages: bool,
) -> PushReport:
    from corpus.index.azure import Timing
    from corpus.index.azure.schema.fields import PAGES
    from corpus.index.azure.service.connection import Connection
    from corpus.index.azure.upload.document_upload import DocumentUpload
    from corpus.index.azure.upload.previous_version import is_empty, marks_of_all
    from corpus.index.azure.upload.pushing import Push, check_principals, whose_vectors
    from corpus.index.azure.upload.remote_state import RemoteState
    from corpus.index.azure.upload.upload_journal import open_journal, origin_of, read_journal
    from corpus.index.azure.upload.uploading import Uploader
    from corpus.index.local import LocalIndex
    from server.bootstrap import embedder

    service, model = await reachable_service(settings, write=not wishes.dry_run), embedder(settings)
    content, documents = settings.azure_search_content_index, settings.azure_search_documents_index
    async with AsyncExitStack() as stack:
        local = LocalIndex.open(settings.data_dir, model, create=False)
        stack.push_async_callback(local.aclose)
        # Use longer timeouts than for a search, because the service needs longer to read and index a batch of eight
        # megabytes.
        connection = await stack.enter_async_context(Connection(service, Timing(whole=60.0, read=90.0)))
        place = f"{service.endpoint}/{content}/{documents}"
        folder = settings.data_dir
        sent = stack.enter_context(read_journal(folder, place) if wishes.dry_run else open_journal(folder, place))
        uploader = Uploader(connection, content, documents, sent)
        blocks, rows = await uploader.looked()
        check_principals(local.prefixed, blocks.shape, rows.shape, settings.principal_prefixes)
        whose, remark = None, ""
        if vectors:
            whose, remark = whose_vectors(blocks.shape, settings.azure_vector_fields, settings.azure_embedder, model)
        if "pushed" not in rows.names:
            print_note(NO_MARKS.format(index=rows.index))
        if not sent.trusted:
            print_note(RECORD_LOST)
        if remark:
            print_note(remark)
        if pages and PAGES not in rows.names:
            print_note(NO_PAGES.format(index=rows.index))
        pictures = await stack.enter_async_context(_pictures(settings, wishes, pages=pages and PAGES in rows.names))
        known = await local.all_documents()
        chosen = [find_document(name, known) for name in names] if names else list(known)
        with TerminalPushProgress(console, dry_run=wishes.dry_run) as progress:
            origin = origin_of(folder, give=not wishes.dry_run)
            carrier = DocumentUpload(local, uploader, origin=origin, embedder=whose, pictures=pictures)
            marks = await marks_of_all(connection, rows, [one.doc_id for one in known])
            standing = RemoteState(marks.by_id, sent, origin, marks.unseen)
            if await is_empty(connection, blocks):
                standing = await _without_marks(standing, uploader, wishes)
            push = Push(carrier, standing, wishes=wishes, progress=progress)
            return await push.run(chosen, None if names else known)


@asynccontextmanager
async def _pictures(settings: Settings, wishes: PushOptions, *, pages: bool) -> AsyncIterator[PictureUpload | None]:
    """Provide the uploader of pictures, or None if no container is configured."""
    from corpus.index.azure.pictures import PictureStore
    from corpus.index.azure.upload.document_upload import PictureUpload, naming_secret
    from corpus.readers.sandbox.pool import ReadingProcesses
    from server.bootstrap import picture_container

    container = picture_container(settings)
    if container is None:
        yield None
        return
    secret = b"" if wishes.dry_run else naming_secret(settings.data_dir)  # a dry run changes nothing
    async with PictureStore(container) as store, ReadingProcesses(count=2) as renderer:
        yield PictureUpload(container, store, secret, renderer if pages else None)


async def _without_marks(standing: RemoteState, uploader: Uploader, wishes: PushOptions) -> RemoteState:
    """Remove the upload marks. Call this if the content index is empty, because the marks then describe a previous
    index."""
    if not wishes.dry_run:
        await uploader.unfinish(standing.ours())
    return standing.unfinished


def _print_report(report: PushReport, console: Console, *, dry_run: bool, pages: bool) -> None:
    from corpus.index.azure.upload.outcomes import summary

    would = "Would be: " if dry_run else ""
    print_line(f"{would}{summary(report.outcomes)}.", console=console)
    if pages and not dry_run:
        print_line(PAGES_SHOWN, console=console)
    if left_out := report.without_picture:
        figures = "1 figure was uploaded without its picture"
        if left_out > 1:
            figures = f"{left_out} figures were uploaded without their pictures"
        print_line(f"{figures}: AZURE_STORAGE_CONTAINER_URL is not set.", console=console)
    if report.unseen:
        print_line(UNSEEN.format(unseen=report.unseen), console=console)
    for outcome in report.undone if len(report.outcomes) > 20 and console.is_terminal else ():
        kind = Part(outcome.kind, "bold red")
        print_line(kind, " ", unbroken(outcome.name), f": {outcome.detail}", hanging=4, console=console)

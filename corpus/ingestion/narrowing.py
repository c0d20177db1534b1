"""Who may read what a run takes in: what the place says, but nobody beside those who may read the same bytes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio.to_thread

from corpus.access import PUBLIC, Caller
from corpus.documents import Document
from corpus.index.protocol import WritableIndex
from corpus.ingestion.fingerprints import Fingerprint, changed_to
from corpus.ingestion.known import Known
from corpus.ingestion.lists import AccessList, Lists

EVERYONE = Caller(unfiltered=True)

States = Mapping[Path, Fingerprint]


@dataclass
class Narrowing:
    """`allow` is a list that the person gave for all that the run is about, which then holds; `allow_new` one for what
    is new."""

    index: WritableIndex
    known: Known
    allow: AccessList | None = None
    allow_new: AccessList | None = None
    _lists: Lists = field(default_factory=Lists)
    _narrowed: dict[Path, AccessList] = field(default_factory=dict)
    _learnt_late: bool = False

    def list_for(self, content_hash: str, before: Document | None) -> AccessList:
        """Of a document whose file holds these bytes. What it holds already keeps its list."""
        place = self._of_place(before)
        if self.allow is not None or (before and before.content_hash == content_hash):
            return place
        return self._lists.for_bytes(content_hash, place)

    def lets(self, access: AccessList, content_hash: str) -> bool:
        """Whether all on this list may read these bytes."""
        return self._lists.for_bytes(content_hash, access) == access

    def said(self, path: Path, access: AccessList, before: Document | None) -> str:
        """A sentence where the list is not the one that the place has."""
        if path not in self._narrowed and access == self._of_place(before):
            return ""
        who = ", ".join(access) or "nobody"
        return f"Readable by {who} only, as another document that held the same."

    async def look(self, states: States, still: Collection[Path]) -> set[Path]:
        """The files that hold restricted content in a place whose list is wider. Known documents among them are
        narrowed at once: access changes first, also where a file cannot be read. `still` holds files not looked at
        since nothing happened to them."""
        self._lists = Lists(self.known.at.values())
        await self._learn(states, still)
        found = set()
        for path, state in states.items():
            before = self.known.at.get(str(path))
            if self.list_for(state.content_hash, before) != self._of_place(before):
                found.add(path)
                if before:
                    await self.narrow(path, before, state.content_hash)
        return found

    def taken_in(self, path: Path, document: Document) -> None:
        """What a file was found to hold when it was read, which may be another thing than before."""
        self.known.at[str(path)] = document
        self._learnt_late |= self._lists.learn(document.content_hash, document.access_control_list)

    async def narrow(self, path: Path, document: Document, content_hash: str) -> None:
        """To what these bytes allow and the index says at this moment, which somebody may have narrowed meanwhile."""
        held = await self.index.document(document.doc_id, EVERYONE)
        access = self._lists.for_bytes(content_hash, held.access_control_list)
        self._narrowed[path] = access
        self.known.at[str(path)] = replace(document, access_control_list=access)
        if access != held.access_control_list:
            await self.index.update(replace(held, access_control_list=access))

    async def settle(self, taken_in: Collection[Path]) -> None:
        """Once more at the end: a restricted file may have changed to what another one was taken in with."""
        for path in taken_in if self._learnt_late and self.allow is None else ():
            document = self.known.at[str(path)]
            access = self._lists.for_bytes(document.content_hash, document.access_control_list)
            if access != document.access_control_list:
                await self.narrow(path, document, document.content_hash)

    async def _learn(self, states: States, still: Collection[Path]) -> None:
        """What restricted files hold now: also those that this run is not about, where a file of it has their size."""
        sizes = {state.size for state in states.values()}
        for place, document in self.known.at.items():
            path = Path(place)
            if PUBLIC in document.access_control_list or path in still:
                continue
            now = states.get(path) or await anyio.to_thread.run_sync(changed_to, path, document, sizes)
            if now:
                self._lists.learn(now.content_hash, document.access_control_list)

    def _of_place(self, before: Document | None) -> AccessList:
        if self.allow is not None:
            return self.allow
        if before:
            return before.access_control_list
        return (PUBLIC,) if self.allow_new is None else self.allow_new

"""Choose the access list of each ingested file, and refuse files that would expose restricted content.

Content is identified by its hash. A copy of a restricted document is refused at a path that more people may read,
unless --allow permits it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from corpus.access import KINDS, PUBLIC
from corpus.documents.document import Document
from corpus.errors import InvalidRequest
from corpus.text.normalization import clean

AccessList = tuple[str, ...]

_SEVERAL = re.compile(rf",(?=\s{{0,9}}(?:{'|'.join(KINDS)}):)")
"""Separator between principals. A comma on its own may be part of a name, as in LDAP names."""


class AccessRules:
    """The access lists of one run. `allow` applies to all of its files, `allow_new` only to new documents.

    `restricted` maps the hash of previously refused content to its access list.
    """

    def __init__(
        self,
        documents: Iterable[Document] = (),
        restricted: Mapping[str, AccessList] | None = None,
        *,
        allow: AccessList | None = None,
        allow_new: AccessList | None = None,
    ) -> None:
        self._allow, self._allow_new = allow, allow_new
        self._lists: dict[str, set[AccessList]] = defaultdict(set)
        for content_hash, access in (restricted or {}).items():
            self.learn(content_hash, access)
        for document in documents:
            self.learn(document.content_hash, document.access_control_list)

    def learn(self, content_hash: str, access: AccessList) -> bool:
        """Record that a document with this access list has this content. Return whether that was unknown."""
        if PUBLIC in access or access in self._lists.get(content_hash, ()):
            return False
        self._lists[content_hash].add(access)
        return True

    def list_for(self, before: Document | None) -> AccessList:
        """Return the access list for a file; `before` is the file's document in the index, if any."""
        if self._allow is not None:
            return self._allow
        if before:
            return before.access_control_list
        return (PUBLIC,) if self._allow_new is None else self._allow_new

    def allows(self, access: AccessList, content_hash: str) -> bool:
        """Return whether everybody on this list may read this content, according to the known lists."""
        narrowest = self.narrowest(content_hash)
        return narrowest is None or (PUBLIC not in access and set(access) <= set(narrowest))

    def refuses(self, content_hash: str, before: Document | None) -> bool:
        """Return whether a file must be refused because of its access list. Unchanged content of an existing document
        is never refused, and --allow overrides the refusal."""
        keeps = before is not None and before.content_hash == content_hash
        return self._allow is None and not keeps and not self.allows(self.list_for(before), content_hash)

    def narrowest(self, content_hash: str) -> AccessList | None:
        """Return the shortest access list among restricted documents with this content, or None if there are none."""
        lists = self._lists.get(content_hash)
        return min(lists, key=lambda access: (len(access), access)) if lists else None

    def refusal(self, content_hash: str) -> str:
        """Return the reason why the file is refused, and how to fix it."""
        readers = self.narrowest(content_hash) or ()
        options = " ".join(f"--allow {principal}" for principal in readers)
        cure = f"Ingest it with {options}" if readers else "Remove it"
        return (
            f"has the same content as a document that only {', '.join(readers) or 'nobody'} may read, and more people "
            f"may read this file. {cure}, or leave it out with a file .ibidignore"
        )


def access_list(principals: Sequence[str], *, prefixed: bool, option: str = "--allow") -> AccessList:
    """Return the list to store, sorted. Raises InvalidRequest for a principal that could match nobody.

    `prefixed` requires a kind: `hr` alone is refused, because no caller ever has such an entry. `option` is the name of
    the option or setting that supplied the list, for error messages.
    """
    for principal in principals:
        _check(principal, prefixed, option)
    return tuple(sorted(set(principals)))


def _check(principal: str, prefixed: bool, option: str) -> None:
    """Raise InvalidRequest for a principal that could match nobody."""
    if principal == PUBLIC:
        return
    if clean(principal) != principal:
        raise InvalidRequest(
            f"{option} {principal!a} contains characters that are invalid in a name. Correct the name."
        )
    kind, colon, name = principal.partition(":")
    if not principal.strip() or principal != principal.strip():
        raise InvalidRequest(f"{option} {principal!r} is empty or has blanks around it. Name one principal.")
    if prefixed and name != name.strip():
        raise InvalidRequest(f"{option} {principal!r} has blanks after the colon. Write {kind}:{name.strip()}.")
    if prefixed and name == PUBLIC:
        raise InvalidRequest(
            f"{option} {principal!r} would mean a principal named {PUBLIC!r}. Write {PUBLIC!r} alone for everybody."
        )
    if prefixed and len(several := _SEVERAL.split(principal)) > 1:
        raise InvalidRequest(
            f"{option} {principal!r} names several principals. "
            f"Write {' '.join(f'{option} {each.strip()}' for each in several)}."
        )
    if prefixed and not (colon and name and kind in KINDS):
        bare = name or principal.strip(":")
        kinds = ", ".join(f"{kind_}:{bare}" for kind_ in KINDS)
        raise InvalidRequest(
            f"{option} {principal!r} does not state the kind of principal. "
            f"Write one of: {kinds}; or {PUBLIC!r} for everybody."
        )

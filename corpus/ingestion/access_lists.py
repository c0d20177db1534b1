"""Decide who may read what a run ingests: access lists as a person writes them, and content that is restricted
elsewhere.

Content goes by its hash: a copy of a document that not everybody may read is refused in a place that more people may
read. Whoever means it says so with --allow.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from corpus.access import KINDS, PUBLIC
from corpus.documents import Document
from corpus.errors import InvalidRequest
from corpus.text import clean

AccessList = tuple[str, ...]

_SEVERAL = re.compile(rf",(?=\s{{0,9}}(?:{'|'.join(KINDS)}):)")
"""A comma alone may stand within a name, as in those of LDAP."""


class AccessRules:
    """The lists of one run: `allow` is what the person gave for all of it, `allow_new` for new documents alone.

    `restricted` is content that was refused before, by hash. `learn` adds what restricted files hold now.
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
        """Note that a document with this list holds this content. Returns whether that was news."""
        if PUBLIC in access or access in self._lists.get(content_hash, ()):
            return False
        self._lists[content_hash].add(access)
        return True

    def list_for(self, before: Document | None) -> AccessList:
        """The list of a file, whose document is `before` where the index has one."""
        if self._allow is not None:
            return self._allow
        if before:
            return before.access_control_list
        return (PUBLIC,) if self._allow_new is None else self._allow_new

    def allows(self, access: AccessList, content_hash: str) -> bool:
        """Tell whether everybody on this list may read this content, as far as is known."""
        narrowest = self.narrowest(content_hash)
        return narrowest is None or (PUBLIC not in access and set(access) <= set(narrowest))

    def refuses(self, content_hash: str, before: Document | None) -> bool:
        """Tell whether a file must not be ingested with its list. A document keeps the content that it has, and what
        the person gave for the run holds."""
        keeps = before is not None and before.content_hash == content_hash
        return self._allow is None and not keeps and not self.allows(self.list_for(before), content_hash)

    def narrowest(self, content_hash: str) -> AccessList | None:
        """The smallest list of the documents with this content; None where everybody may read all of them."""
        lists = self._lists.get(content_hash)
        return min(lists, key=lambda access: (len(access), access)) if lists else None

    def refusal(self, content_hash: str) -> str:
        """The reason to give for a refused file, with the cure."""
        readers = self.narrowest(content_hash) or ()
        options = " ".join(f"--allow {principal}" for principal in readers)
        cure = f"Ingest it with {options}" if readers else "Remove it"
        return (
            f"holds the same as a document that only {', '.join(readers) or 'nobody'} may read, and more people may "
            f"read this place. {cure}, or leave it out with a file .ibidignore"
        )


def access_list(principals: Sequence[str], *, prefixed: bool, named: str = "--allow") -> AccessList:
    """The list to store, sorted. Raises InvalidRequest for a principal that could match nobody.

    Where kinds are told apart, `hr` alone is refused: no caller ever holds such an entry. `named` is the option or the
    setting that the list comes from.
    """
    for principal in principals:
        _check(principal, prefixed, named)
    return tuple(sorted(set(principals)))


def _check(principal: str, prefixed: bool, named: str) -> None:
    if principal == PUBLIC:
        return
    if clean(principal) != principal:
        raise InvalidRequest(f"{named} {principal!a} holds characters that no name has. Name one principal.")
    kind, colon, name = principal.partition(":")
    if not principal.strip() or principal != principal.strip():
        raise InvalidRequest(f"{named} {principal!r} is empty or has blanks around it. Name one principal.")
    if prefixed and name != name.strip():
        raise InvalidRequest(
            f"{named} {principal!r} has blanks behind the colon. Write {kind}:{name.strip()}."
        )
    if prefixed and name == PUBLIC:
        raise InvalidRequest(
            f"{named} {principal!r} would be somebody whose name is {PUBLIC!r}. Write {PUBLIC!r} alone for everybody."
        )
    if prefixed and len(several := _SEVERAL.split(principal)) > 1:
        raise InvalidRequest(
            f"{named} {principal!r} names several. Write {' '.join(f'{named} {each.strip()}' for each in several)}."
        )
    if prefixed and not (colon and name and kind in KINDS):
        bare = name or principal.strip(":")
        kinds = ", ".join(f"{known}:{bare}" for known in KINDS)
        raise InvalidRequest(
            f"{named} {principal!r} does not say who that is. Write one of: {kinds}; or {PUBLIC!r} for everybody."
        )

"""LLM judge: ask a model whether the sources support the claims that word overlap left at `partly`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import anyio

from corpus.errors import IbidError
from corpus.generation.protocol import Prompt, TextGenerator, fence
from corpus.verification.protocol import CheckedClaim, Evidence, SourceText

MAX_JUDGED = 40
"""Maximum number of claims that are judged per answer. Each claim needs a request, which may cost money."""
_BATCH = 8
"""Maximum number of concurrent requests, low enough for small servers to accept without queueing."""
_MAX_EVIDENCE = 3_000
"""Maximum number of source characters around the evidence: about 750 tokens, or two blocks of typical length."""
_MAX_TOKENS = 400
"""Maximum number of tokens in a reply, enough for a model that reasons before it answers."""
_YES = re.compile(r"\W*(?:yes|ja|true|supported|1)\b", re.IGNORECASE)
_NO = re.compile(r"\W*(?:no|nein|false|unsupported|not supported|0)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """A model that judges claims. `instructions` ask it for yes or no. `seconds` limits the total time for all claims
    of an answer."""

    endpoint: TextGenerator
    instructions: str
    seconds: float = 20.0

    async def judge(
        self, claims: Sequence[CheckedClaim], sources: Sequence[SourceText]
    ) -> tuple[tuple[CheckedClaim, ...], tuple[str, ...]]:
        """Judge the claims whose verdict is `partly`. Return all claims in their original order, and warnings. A judged
        claim gets the model's verdict, and the model's id in `judged_by`. A claim stays unchanged if the model fails,
        takes too long, or answers neither yes nor no."""
        doubtful = {
            at: _question(claim.claim.text, claim.evidence, sources)
            for at, claim in enumerate(claims)
            if claim.verdict == "partly" and claim.evidence
        }
        replies: dict[int, bool | None] = {}
        failure: IbidError | None = None
        with anyio.move_on_after(self.seconds):
            try:
                questions = list(doubtful.items())[:MAX_JUDGED]
                for first in range(0, len(questions), _BATCH):
                    await self._judge(questions[first : first + _BATCH], replies)
            except* IbidError as errors:
                failure = _first(errors)
        result = list(claims)
        for at, reply in replies.items():
            if reply is not None:
                result[at] = self._with_reply(claims[at], reply)
        unjudged = len(doubtful) - sum(reply is not None for reply in replies.values())
        return tuple(result), self._warnings(unjudged, len(doubtful), failure)

    async def _judge(self, batch: Sequence[tuple[int, str]], replies: dict[int, bool | None]) -> None:
        async def ask(at: int, question: str) -> None:
            prompt = Prompt(question, self.instructions, max_tokens=_MAX_TOKENS, temperature=0.0)
            replies[at] = _read((await self.endpoint.generate(prompt)).text)

        async with anyio.create_task_group() as group:
            for at, question in batch:
                group.start_soon(ask, at, question)

    def _with_reply(self, claim: CheckedClaim, supported: bool) -> CheckedClaim:
        if supported:
            return replace(claim, verdict="found", missing=(), judged_by=self.endpoint.id)
        return replace(claim, verdict="not_found", judged_by=self.endpoint.id)

    def _warnings(self, unjudged: int, doubtful: int, failure: IbidError | None) -> tuple[str, ...]:
        if not unjudged:
            return ()
        if failure:
            why = f"it failed: {failure}"
        elif doubtful > MAX_JUDGED:
            why = f"it is asked about {MAX_JUDGED} claims of an answer at most"
        else:
            why = f"it took longer than {self.seconds:g} s, or answered neither yes nor no"
        return (f"{self.endpoint.id} did not judge {unjudged} of {doubtful} claims ({why}); words decided them.",)


def _question(claim: str, evidence: Evidence, sources: Sequence[SourceText]) -> str:
    text = next(source.text for source in sources if source.number == evidence.number)
    middle = (evidence.start + evidence.end) // 2
    start = max(0, min(middle - _MAX_EVIDENCE // 2, len(text) - _MAX_EVIDENCE))
    data = fence(f"Document: {text[start : start + _MAX_EVIDENCE]}\n\nClaim: {claim}")
    return f"{data}\n\nDoes the document support the claim? Answer yes or no."


def _read(reply: str) -> bool | None:
    """Return True for yes and False for no, read from the start of the reply or, if the model explains itself first,
    from the start of its last line. Return None for neither."""
    for part in (reply, reply.strip().rpartition("\n")[2]):
        if _YES.match(part):
            return True
        if _NO.match(part):
            return False
    return None


def _first(errors: ExceptionGroup[IbidError]) -> IbidError:
    inner = errors.exceptions[0]
    return _first(inner) if isinstance(inner, ExceptionGroup) else inner

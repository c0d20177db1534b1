"""How texts look that speak to a model instead of a reader, in English and German. Each rule asks for several words
that belong together: single ones stand in every manual of a program and in every paper on models.

All gaps are bounded, so that no text costs more than its length.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_MODEL = (
    r"(?:ai|llms?|language models?|ai (?:assistant|model|agent)s?|chat ?bots?|assistants?|"
    r"ki|ki-(?:assistent(?:en)?|modelle?)|sprachmodelle?s?|assistenten|chatbots?)"
)
_ARTICLES = r"(?:(?:the|any|all|every|an?|die|das|den|dem|alle|jede[sn]?|eine?n?)\s){0,2}"
_EARLIER = r"(?:previous|prior|earlier|preceding|above|foregoing|your|initial|original|existing)"
_FRUEHER = r"(?:vorherigen?|bisherigen?|früheren?|obigen?|deine[nr]?|ursprünglichen?|vorangehenden?)"
_ORDERS = r"(?:instructions?|prompts?|guidelines|directives|rules|context|sources|commands)"
_BEFEHLE = r"(?:anweisungen|regeln|richtlinien|vorgaben|befehle|instruktionen|quellen|kontext)"

OVERRIDING = (
    rf"\b(?:ignore|disregard|forget|override|bypass|neglect)\b(?!-).{{0,20}}\b{_EARLIER}\s(?:\w+\s){{0,2}}{_ORDERS}\b",
    r"\b(?:ignore|disregard|forget)\s(?:all|any|everything)\s.{0,30}\b(?:told|instructed|said) before\b",
    r"\bdo not follow (?:the|your|any) (?:system|previous|earlier|safety)\b",
    r"\b(?:ignore|disregard|forget|bypass)\b(?!-).{0,20}\bsystem prompt\b|\bset aside (?:the|your|all) instructions\b",
    rf"\b(?:{_EARLIER}|these) {_ORDERS} are (?:cancelled|void|revoked|obsolete)\b",
    r"\byour (?:real|true|new|actual) instructions\b|\bnew instructions (?:for|to) (?:the|you)\b",
    r"\bignore (?:all )?(?:safety|security) (?:guidelines|rules)\b",
    rf"\b(?:ignorier|vergiss|missacht|verwirf)\w{{0,3}}\b.{{0,20}}\b{_FRUEHER}\s(?:\w+\s){{0,2}}{_BEFEHLE}\b",
    r"\b(?:ignoriere|vergiss|missachte) alles\b.{0,40}\b(?:gesagt|angewiesen|vorgegeben)\b",
    rf"\bsetze {_FRUEHER} {_BEFEHLE} (?:außer|ausser) kraft\b",
    rf"\b{_FRUEHER} {_BEFEHLE} gelten nicht\b",
)
ROLE = (
    r"\byou are now (?:in \w+ mode|an? (?:unrestricted|ai|assistant|pirate|different)|dan\b)",
    r"\bfrom (?:now|this point) on,? (?:you are|respond|answer|reply|act|behave)\b",
    r"\b(?:respond|act|answer) as an? (?:unrestricted|uncensored|jailbroken)\b",
    r"\bpretend (?:that you are|to be) an? (?:unrestricted|different|other) ",
    r"\bab (?:jetzt|sofort) (?:antwortest|bist|befolgst|handelst|ignorierst) du\b|\bab jetzt antwortest\b",
    r"\bdu (?:bist|befindest dich) (?:jetzt|nun|ab sofort) (?:ein|im|in)\b",
)
ADDRESSED = (
    rf"\b(?:instructions?|notes?|message|attention|important|hinweise?|anweisung(?:en)?|nachricht|wichtig|achtung) "
    rf"(?:to|for|an|für) {_ARTICLES}{_MODEL}\b\s?[:.,]",
    rf"\b(?:note|message|attention) to {_ARTICLES}{_MODEL}\b",
    rf"\banweisung(?:en)? an {_ARTICLES}{_MODEL}\b|\bthis is an instruction for the (?:model|{_MODEL})\b",
    rf"\bto any {_MODEL} (?:reading|that reads|processing)\b",
    rf"\b(?:dear|hey|hello|attention|liebe[rs]?|hallo|achtung),? (?:chat ?gpt|claude|gemini|copilot|{_MODEL})\s?[,:!]",
    r"\bif you are an? (?:ai|llm|language model|chatbot)\b",
    r"\bwenn du (?:ein|eine) (?:ki|sprachmodell|chatbot|assistent)",
    r"\bas the assistant, you (?:should|must|will|shall)\b",
)
SECRETS = (
    r"\b(?:reveal|print|output|show|repeat|disclose|leak|display)\b.{0,30}\b(?:your|the|its) "
    r"(?:system prompt|hidden (?:prompt|rules|instructions)|initial prompt)\b",
    r"\bgib\b.{0,30}\bsystem-?\s?prompts?\b.{0,30}\b(?:aus|preis)\b|\b(?:zeige|verrate|nenne)\b.{0,30}\bsystem-?prompt",
    r"\bgib alle quellen wörtlich aus\b",
)
TURNS = (
    r"<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id)\|>|\[/?inst\]|<<sys>>",
    r"</?(?:source|sources|system|assistant|system_prompt|untrusted)>\s*(?:system|assistant|user)\s?:",
    r"(?:^|\n)\s{0,9}#{2,4}\s?(?:instruction|system)\s?:.{0,400}\n\s{0,9}#{2,4}\s?response\s?:",
    r"(?:^|\n)\s{0,9}assistant\s?:.{1,300}\n\s{0,9}user\s?:",
    r"(?:^|\n)\s{0,9}system\s?:\s?(?:you are|you must|du bist|du befindest|ignore|from now)\b",
)
TOOLS = (
    r"<(?:antml:)?(?:tool_call|function_calls?|tool_use|invoke name=)",
    r"\"(?:tool_calls?|function_call|tool_use)\"\s?:\s?[\[{]",
    r"\b(?:call|use|invoke|run) the tool (?:rag|llm|send|get|http|fetch|read)_\w{1,40}",
    r"\b(?:rufe?|benutze|verwende) das werkzeug \w{1,20}_\w{1,40}",
)
CARRYING = (
    r"!?\[[^\]\n]{0,100}\]\(https?://[^\s)]{1,200}[?&][\w-]{1,40}=(?:\{|<|\[|[a-z]{0,20}_?(?:query|question|frage)\b)",
    r"\b(?:encode|append|add|include|send|füge|hänge|sende)\b.{0,80}\b(?:user's|conversation|last message|nutzers)\b"
    r".{0,80}https?://",
    r"\b(?:to|in) (?:each|every|your) answer\b.{0,60}https?://|\ban jede antwort\b.{0,60}https?://",
)
FORGING = (
    r"\bwith citations? \[\d{1,3}\]|\bcite (?:it|this|that) as \[\d{1,3}\]|\bmit (?:dem|den) belege?n? \[\d{1,3}\]",
    r"\b(?:reply|respond|answer) only with (?:the word )?[\"'“]?\w{2,20}\b[\"'”]?\s?\.(?:\s|$)",
    r"\bwhatever the other sources say\b|\bstop summari[sz]ing and write\b|\bantworte nur mit\b",
    r"\bbevor du (?:weiter )?antwortest\b",
)


@dataclass(frozen=True, slots=True)
class Rule:
    """`cues` are pieces of words without one of which it cannot match: looking for these costs next to nothing."""

    kind: str
    cues: tuple[str, ...]
    pattern: re.Pattern[str]

    def is_possible(self, flat: str) -> bool:
        """`flat` is a text in small letters on one line."""
        return any(cue in flat for cue in self.cues)


def _rule(kind: str, cues: str, patterns: tuple[str, ...]) -> Rule:
    return Rule(
        kind, tuple(cues.split("|")), re.compile("|".join(f"(?:{one})" for one in patterns), re.DOTALL)
    )


RULES = (
    _rule(
        "orders to forget other orders",
        "ignor|disregard|forget|overrid|bypass|neglect|do not follow|instructions|"
        "prompt|rules are|guidelines are|vergiss|missacht|verwirf|setze |"
        "gelten nicht",
        OVERRIDING,
    ),
    _rule(
        "a new role for the reader",
        "you are now|point on|from now on| as a un| as an un| as a jail|pretend |"
        "ab jetzt|ab sofort|du bist|du befindest",
        ROLE,
    ),
    _rule(
        "words to an AI",
        "chatgpt|chat gpt|claude|gemini|copilot|"
        " ai | ai:| ai,| ai.|ais |llm|language model|chatbot|chat bot|assistant|assistent| ki | ki:| ki,| ki-|"
        "sprachmodell|for the model",
        ADDRESSED,
    ),
    _rule("a question for the prompt", "prompt|hidden |alle quellen", SECRETS),
    _rule(
        "turns of a conversation",
        "<|inst]|<<sys>>|<source|</source|<untrusted|</untrusted|system>|_prompt>|assistant>|assistant:|assistant :|"
        "system:|system :|response:|response :",
        TURNS,
    ),
    _rule("calls of tools", "<tool|<function|invoke|tool_|function_call|the tool |das werkzeug ", TOOLS),
    _rule("addresses that would carry words away", "https://|http://", CARRYING),
    _rule(
        "orders on what to answer or cite",
        "with citation|cite |mit de|only with|other sources|and write|antworte|antwortest",
        FORGING,
    ),
)  # fmt: skip

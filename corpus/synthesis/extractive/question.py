"""Parse a question: its content words, its language, the shape of its answer, and the kind of answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from corpus.synthesis.extractive.lexicon import Aggregate, language_of
from corpus.synthesis.extractive.vocabulary.vocabulary import AnswerKind, Vocabulary, vocabulary_of
from corpus.text import analysis
from corpus.text.analysis import terms

_MONTHS = (
    r"jan(?:uary|uar)?|feb(?:ruary|ruar)?|(?-i:Mar)|march|märz|apr(?:il)?|(?-i:May|Mai)|june?|juni?|july?|juli?|aug(?:ust)?"
    r"|sep(?:t(?:ember)?)?|o[ck]t(?:ober|obre)?|nov(?:ember)?|de[cz](?:ember)?"
)
_DAYS = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|montags?|dienstags?|mittwochs?|donnerstags?|freitags?|samstags?"
    r"|sonntags?"
)
_COUNTS = (
    r"two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|hundred"
    r"|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|fünfzehn|zwanzig|dreißig|vierzig|fünfzig|sechzig|neunzig"
    r"|hundert"
)
_NUMBER = rf"(?:\d[\d.,'’\u202f]{{0,20}}|{_COUNTS}|one|half|an?|ein(?:en|em|er|e)?)"
_TIME_UNITS = (
    r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|centur(?:y|ies)|sekunden?|minuten?|stunden?"
    r"|tage[ns]?|tag|wochen?|monate?[ns]?|jahre?[ns]?|werktage?[ns]?|secs?|mins?|hrs?|ms|µs|ns|[hs])"
)
_MONEY = (
    r"(?:[€$£¥]\s?\d|\d\s?(?:[€$£¥]|%|euro?s?\b|usd\b|chf\b|dollars?\b|cents?\b|francs?\b|million|billion|mio\b"
    r"|mrd\b))"
)

_NO_UNIT = r"(?!\s?(?-i:[kmcd]?[mglWVAN]|l/[hm]\w*|km/h|kWh|Wh|[kMG]?Hz|[kMGT]B|bar|°|dB\w*|mph|lbs?|inch\w*|ft)\b)"
"""Negative lookahead after a number: a number with a unit of measurement is not a price."""
_PRICE = re.compile(
    rf"{_MONEY}|\d[.,]\d\d\b{_NO_UNIT}|\b\d{{1,3}}(?:[.,'’]\d{{3}})+\b{_NO_UNIT}|\b(?:free|kostenlos|gratis|nothing)\b"
    r"|(?:€|\$|£|\b(?:eur|usd|chf|gbp|prices?|costs?|fees?|amount|rent|salary|preise?|kosten|betrag|gebühr\w*|miete|gehalt))"
    r"\b[^;:\n]{0,30}:\s*[\d€$£]",
    re.IGNORECASE,
)
_OF_PRICES = re.compile(
    r"\b(?:costs?|price[ds]?|fees?|rent|deposit|fines?|kaution|pfand|bußgeld\w*|salar(?:y|ies)|expensive|kosten|(?:ge)?kostet\w*|preise?s?|teuer|gehalt|miete"
    r"|\w*gebühr(?:en)?)\b",
    re.IGNORECASE,
)
_DATES = re.compile(
    rf"\b(?:{_MONTHS})\b\.?\s*(?:\d{{1,2}}(?:st|nd|rd|th)?\b,?)?|\b\d{{1,2}}(?:\.|st|nd|rd|th)?\s+(?:{_MONTHS})\b"
    r"|\b\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\b|\b(?:\d{1,2}/)?(?:19|20)\d\d\b(?![.,]\d)|\b\d{1,2}:\d\d\b",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d[\d.,]*")
_CLOCK = re.compile(
    r"\b\d{1,2}[:.h]\d\d\b(?!\.\d)|\b\d{1,2}\s?(?:h\b|am\b|pm\b|a\.m\.|p\.m\.|uhr\b|o['’]clock)"
    r"|\b(?:noon|midnight|mittags?|mitternacht|midi|minuit)\b|[時点]",
    re.IGNORECASE,
)
_OF_CLOCK = re.compile(
    r"\b(?:at\s+)?what\s+time\b|\bum\s+wie\s?viel\s+uhr\b|\b(?:welche[rn]?|which)\s+(?:uhrzeit|hours?)\b|何時",
    re.IGNORECASE,
)
_EMAIL = re.compile(r"[\w.+-]@[\w-]{1,63}\.\w")
_OF_EMAIL = re.compile(
    r"\be-?mail(?:[\s-]?address(?:es)?|[\s-]?adressen?)?\s+(?:of|for|from|von|vom|der|des|für)\b|\be-?mail[\s-]?ad(?:d?r)ess"
    r"|^\W*(?:what|which|wie\s+lautet|welche)\b.{0,60}\be-?mail\b",
    re.IGNORECASE,
)
_PHONE = re.compile(r"\+?\d[\d\s/().-]{4,30}\d")
_OF_PHONE = re.compile(
    r"\b(?:(?:tele)?phone|fax|mobile|cell)\s?(?:numbers?|no\b)|\b(?:telefon|fax|handy|mobil)\s?-?(?:nummern?|nr\b)"
    r"|\b(?:telephone|fax|telefon)\s+(?:of|for|von|vom|der|des|für)\b",
    re.IGNORECASE,
)

_HOLDS: dict[AnswerKind, re.Pattern[str]] = {
    "date": re.compile(
        rf"\b(?:1\d|20)\d\d\b|\b\d{{1,2}}\.\s?\d{{1,2}}\.|\b\d{{1,2}}:\d\d\b|\b\d{{1,2}}\s?(?:am|pm|a\.m\.|p\.m\.|uhr)\b"
        rf"|\b(?:{_MONTHS})\b\.?|\b(?:{_DAYS})\b|\b\d{{4}}-\d\d|\b{_NUMBER}\s+{_TIME_UNITS}\b"
        r"|\b\w{1,30}(?:st|nd|rd|th|ten|sten)\s+(?:working\s+|business\s+)?(?:day|werktag|tag)\w*|\b(?:today|tomorrow|heute|morgen)\b"
        r"|\b(?:beginning|end|anfang|ende|mitte)\s+(?:of|des|der)\b|\d\s?[年月日]",
        re.IGNORECASE,
    ),
    "duration": re.compile(
        rf"\b{_NUMBER}(?:[\s-]|\s+\w+\s){_TIME_UNITS}\b|\d\s?{_TIME_UNITS}\b|\b(?:until|bis)\s|\b(?:unlimited|indefinite\w*|permanent\w*|unbefristet)"
        r"|\d\s?(?:年|ヶ月|か月|日間|時間)",
        re.IGNORECASE,
    ),
    "frequency": re.compile(
        r"\b(?:hourly|daily|weekly|monthly|quarterly|annual(?:ly)?|yearly|biannual\w*|biennial\w*|once|twice|every|each|per|regular(?:ly)?|times|never"
        r"|always|stündlich\w*|täglich\w*|wöchentlich\w*|monatlich\w*|vierteljährlich\w*|halbjährlich\w*|jährlich\w*|einmal|zweimal|\w{1,40}mal"
        r"|jede[nrsm]?|alle|pro|regelmäßig\w*|nie|immer)\b|毎|ごと",
        re.IGNORECASE,
    ),
    "amount": re.compile(
        rf"{_MONEY}|\d[\d,.]{{0,20}}[.,]\d\d\b|\b\d{{2,}}\b|\b(?:free|kostenlos|gratis|nothing)\b",
        re.IGNORECASE,
    ),
    "number": re.compile(rf"\d|\b(?:{_COUNTS})\b|\b(?:none|keine?|dozens?)\b", re.IGNORECASE),
    "contact": re.compile(
        rf"{_EMAIL.pattern}"
        r"|https?://|www\.|\d[\d\s/()-]{5,30}\d|\d-\d{3}-\d|\b\d{5}\s+[A-ZÄÖÜ]"
        r"|(?<=\w)(?:straße|strasse|str\.|weg|platz|allee|gasse)\s*\d|\b\d{1,6}\s+[A-Z]\w{1,60}\s+(?:street|st\.|road|avenue|ave\.)",
        re.IGNORECASE,
    ),
    "person": re.compile(
        r"(?<![.!?:]\s)(?<!^)\b(?:[A-ZÄÖÜ][\w’'-]{1,60}|[A-Z]\.)\s+(?:(?:von|van|de|der|la)\s+)?[A-ZÄÖÜ][\w’'-]|[A-ZÄÖÜ][\w.’'-]{0,60}\s+[A-ZÄÖÜ][\w’'-]"
        r"|\b(?:GmbH|AG|Inc|Ltd|LLC|e\.\s?V\.)|\b(?:Mr|Mrs|Ms|Dr|Prof|Herrn?|Frau)\b\.?"
        r"|\b(?:managers?|director|officer|committee|board|department|team|employees?|staff|members?|owner|head|president|vorstand|leitung"
        r"|leiter\w*|geschäftsführ\w*|mitglied\w*|abteilung|mitarbeiter\w*|vorsitzende\w*|kassier\w*|mieter|vermieter|company|agency|authors?)\b"
    ),
    "reason": re.compile(
        r"\b(?:because|due\s+to|since|as\s+a\s+result|in\s+order\s+to|so\s+that|therefore|reasons?|to\s+(?:avoid|ensure|prevent|protect|help|reduce|improve|make|allow)"
        r"|cause[ds]?|owing\s+to|thanks\s+to|weil|da|wegen|damit|um|aufgrund|daher|deshalb|denn|gr(?:u|ü)nde?|zwecks"
        r"|parce\s+qu|puisque|en\s+raison|afin|porque|debido|perché|poiché|omdat|vanwege|zodat)\b|ため|ので|因",
        re.IGNORECASE,
    ),
}

_DISTINCT: dict[AnswerKind, str] = {
    "frequency": r"\b(?:daily|weekly|monthly|quarterly|annual(?:ly)?|yearly|(?:täg|wöchent|monat|jähr)lich\w*)\b",
    "reason": r"\b(?:because|due\s+to|in\s+order\s+to|weil|wegen|aufgrund)\b",
}
"""English and German words for these kinds of answer that have no other meaning in the languages of `vocabulary`,
unlike "da", "per" and "once"."""

_ASKING: dict[AnswerKind, str] = {
    "frequency": r"\bhow\s+(?:often|frequently)\b|\bhow\s+many\s+times\b|\bwie\s+(?:oft|häufig)\b|どのくらいの頻度",
    "duration": (
        rf"\bhow\s+(?:long\b|many\s+{_TIME_UNITS}\b)|\bwie\s?viele\s+{_TIME_UNITS}\b|\b(?:what|which)\s+(?:period|duration)\b|\bwie\s+lange?\b|\bdauer\b"
        r"|どのくらいの期間|何年間"
    ),
    "contact": (
        r"\b(?:phone|telephone|hotline|e-?mail|fax|telefon\w*|anschrift|adresse|address"
        r"|website|url|contact|kontakt\w*|erreich(?:en?|bar\w*)|anrufen|call\s+(?:for|if|when))\b"
        r"|\bnumber\s+of\s+the\s+\w+\s+(?:line|desk|hotline)\b|電話"
    ),
    "amount": (
        r"\bhow\s+much\b|\b(?:what|which)\b.{0,200}\bcosts?\b|\b(?:what|which)\b.{0,30}\b(?:cost|price|fee|rent|accuracy|score|number|size|weight|speed|length|height|width|salary|budget|charge|rate|percentage|share|total|revenue|turnover|amount)\b"
        r"|\bwhat\s+(?:did|does|do|has|have|had)\b.{1,80}\b(?:spen[dt]|pay|paid|earn(?:ed)?)\b"
        r"|\bwas\b.{1,80}\b(?:ausgegeben|bezahlt|gezahlt|verdient)\b|\bwie\s+(?:viel|teuer|hoch)\b|\b(?:was|wieviel)\s+kostet\b|\bwas\b.{1,100}\bgekostet\b|\bkosten\b.{0,200}\?|いくら"
    ),
    "number": (
        r"\bwhat(?:['’]s|\s+is)\s+the\s+(?:most|least|maximum|minimum)\s+(?:i|we|you|one|that)\b"
        r"|\bhow\s+(?:many|far|fast|high|tall|old|large|big|heavy|hot|deep|wide|small|strong|loud)\b"
        r"|\bwie\s+(?:viele[nr]?|weit|schnell|alt|groß|schwer|heiß|tief|breit|laut)\b|いくつ|何人|何台"
    ),
    "date": (
        r"(?:^|\b(?:since|until|till|by|from|know|and|tell\s+\w+)\s+)\W{0,3}when\b"
        r"|\bwhen\s+(?:did|does|do|is|are|was|were|will|can|must|should|has|have|had|may)\b|\b(?:what|which)\s+(?:date|day|year|month|time)\b|\bdeadline\b"
        r"|\b(?:bis\s+|seit\s+|ab\s+)?wann\b|\bwelche[nrsm]?\s+(?:tag|jahr|datum|monat|uhrzeit)\b"
        r"|\bum\s+wie\s?viel\s+uhr\b|いつ"
    ),
    "person": r"\b(?:who|whom|whose)\b|\bwer\b|\bwem\b|\bwen\b|\bwessen\b|\bauthors?\b|\bautor(?:en|in)?\b|誰|だれ",
    "reason": (
        r"\bwhy\b|\bwhat\s+(?:is|are|was)\s+the\s+reasons?\b|\bwhat\s+for\b|\bwarum\b|\bweshalb\b|\bwieso\b|\bwozu\b"
        r"|なぜ"
    ),
}
_EXACT: tuple[tuple[AnswerKind, re.Pattern[str], re.Pattern[str]], ...] = (
    ("contact", _OF_EMAIL, _EMAIL),
    ("contact", _OF_PHONE, _PHONE),
    ("date", _OF_CLOCK, _CLOCK),
)
"""Kinds of answer with an exact form, each with the pattern of the question and of the form."""
_ASKS = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _ASKING.items())
_DEFINES = re.compile(
    r"^\W*(?:what(?:'s|’s|\s+is|\s+are(?!\s+the)|\s+was|\s+were(?!\s+the)|\s+does)|was\s+(?:ist|sind|bedeutet|heißt)|define|definition\s+of|meaning\s+of)\s+"
    r"(?:meant\s+by\s+|a\s+|an\s+|the\s+|ein(?:e)?\s+|der\s+|die\s+|das\s+|unter\s+)?(?P<term>[^?]{2,60}?)(?:\s+(?:mean|stand\s+for|refer\s+to|means))?\W*$",
    re.IGNORECASE,
)
_MAX_TERM_WORDS = 4
_STANDS_FOR = re.compile(r"\bstands?\s+for\b|\bsteht\b.{1,30}\bfür\b|\bfull\s+name\b", re.IGNORECASE)
_COPULA = (
    r"\W{0,3}(?:\([^)]{1,40}\)\s*)?(?:(?:is|are|was)\s(?!not\b|only\b|also\b|being\b|\w+ed\b)|means?|refers?\s+to|describes?|denotes?"
    r"|stands?\s+for|:|–|-|—|(?:ist|sind|war)\s(?!nicht\b|nur\b|auch\b|ge\w+t\b|\w+iert\b)|bedeutet|bezeichnet|heißt|nennt\s+man|とは)"
)
"""Copulas of a definition. They do not count before a participle: "MCAS is activated only" defines nothing."""

_PLAIN_WHEN = re.compile(r"\W{0,9}(?:when|wann)\b", re.IGNORECASE)
_WHY = re.compile(r"\W{0,9}(?:why|warum|weshalb|wieso|pourquoi|por\s?qu[eéê]|perché|waarom)\b", re.IGNORECASE)
_CONDITION = re.compile(
    r"\b(?:when(?:ever)?|if|once|as\s+soon\s+as|unless|after|before|during|while|at|wenn|sobald|falls|nach(?:dem)?|vor|bevor|bei"
    r"|während|solange)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The kind of answer that a question asks for, and the pattern of a text that contains one. `takes_condition` is
    True if a condition can answer instead of a date: "When does the valve open?", but not "By when ...?". `is_exact` is
    True if no other wording can replace the pattern: an e-mail address, a phone number, a time of day, or the reason if
    the question begins with "why"."""

    kind: AnswerKind
    pattern: re.Pattern[str]
    own_numbers: frozenset[str] = frozenset()
    takes_condition: bool = False
    is_exact: bool = False

    def is_in(self, text: str, *, is_row: bool = False) -> bool:
        """Return whether a text contains this kind of answer. Dates and the question's own numbers do not count as
        numbers. In a table row, a number needs no unit, because the header of its column has it."""
        if self.is_numeric:
            text = _DIGITS.sub(lambda digits: "" if digits[0] in self.own_numbers else digits[0], _DATES.sub(" ", text))
        is_plain = is_row and self.kind in ("number", "duration")
        return bool((_DIGITS if is_plain else self.pattern).search(text))

    def degree(self, text: str, *, is_row: bool = False) -> float:
        """Return 1 for a text with this kind of answer, 0.2 for a condition that can answer instead, and 0 for any
        other text."""
        if self.is_in(text, is_row=is_row):
            return 1.0
        return 0.2 if self.takes_condition and _CONDITION.search(text) else 0.0

    @property
    def is_numeric(self) -> bool:
        """Return whether only a number can answer the question."""
        return self.kind in ("amount", "number", "duration")


@lru_cache(maxsize=64)
def wanted_kind(query: str, language: str | None = None) -> Wanted | None:
    """Return the kind of answer that a question asks for, or None if the answer has no recognisable form."""
    line = " ".join(query.split())
    vocabulary = vocabulary_of(language)
    asking = vocabulary.asks.items() if vocabulary.asks else _ASKS
    kinds: Sequence[AnswerKind] = [kind for kind, asks in asking if asks.search(line)]
    if kinds:
        exact = next((form for form in _EXACT if form[0] in kinds and form[1].search(line)), None)
        if exact:
            return Wanted(exact[0], exact[2], is_exact=True)
        is_price = kinds[0] == "amount" and bool((vocabulary.prices or _OF_PRICES).search(line))
        takes_condition = kinds[0] == "date" and bool((vocabulary.when or _PLAIN_WHEN).match(line))
        pattern = _answer_pattern(kinds[0], vocabulary, is_price=is_price)
        is_why = kinds[0] == "reason" and bool(_WHY.match(line))
        return Wanted(kinds[0], pattern, frozenset(_DIGITS.findall(line)), takes_condition, is_why)
    definitions = vocabulary.definitions
    defined = (definitions.question if definitions else _DEFINES).match(line)
    if defined and len(defined["term"].split()) <= _MAX_TERM_WORDS:
        term = re.escape(defined["term"].strip())
        is_short_form = term.isupper() or _STANDS_FOR.search(line)
        in_full = rf"|\w\s+\w+\s*\({term}\)" if is_short_form else ""
        copula = f"(?:{_COPULA}|{definitions.copula.pattern})" if definitions else _COPULA
        return Wanted("definition", re.compile(rf"\b{term}\w{{0,2}}{copula}{in_full}", re.IGNORECASE))
    return None


def _answer_pattern(kind: AnswerKind, vocabulary: Vocabulary, *, is_price: bool) -> re.Pattern[str]:
    """Return the pattern of a text that has this kind of answer, in the language of the vocabulary and in English or
    German."""
    base = _PRICE if is_price else _HOLDS[kind]
    if not vocabulary.holds:
        return base
    known = _DISTINCT.get(kind, base.pattern)
    return re.compile(f"{known}|{vocabulary.holds[kind].pattern}", base.flags)


Shape = Literal["fact", "list", "steps", "explanation", "overview", "comparison"]
_MAX_WORDS = 64
_MAX_TOPIC_WORDS = 3
_LABEL = re.compile(
    r"\b(fig(?:ure|\.)?|abb(?:ildung|\.)?|bild|diagram|table|tab\.|tabelle)\s*(\d+(?:[.-]\d+)*[a-z]?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Question:
    """A parsed question.

    `words` contains its distinct content words. `language` is one of `lexicon.LANGUAGES` or None. `wanted` is the kind
    of answer if it has a recognisable form. `text` is the question that decides `shape` and `wanted`; for a follow-up
    without content words it is the earlier question. `labels` contains the figures and tables that the question
    mentions by number, such as `figure 3`. `wants_figure` is True if it asks for a picture, `is_negated` if it asks for
    something that is not true or is excluded. `aggregate` is the value to compute from a table.
    """

    words: tuple[str, ...]
    language: str | None
    shape: Shape
    wanted: Wanted | None = None
    text: str = ""
    labels: frozenset[str] = frozenset()
    wants_figure: bool = False
    aggregate: Aggregate | None = None
    is_negated: bool = False

    def stems(self, language: str | None) -> tuple[str, ...]:
        """Return the stem of each word by the rules of this language."""
        return tuple((terms(word, language) or [word])[0] for word in self.words)

    @property
    def is_topic(self) -> bool:
        """Return whether it is only the name of a subject."""
        return _is_topic(self.text, self.vocabulary)

    @property
    def vocabulary(self) -> Vocabulary:
        """Return the vocabulary of the question's language."""
        return vocabulary_of(self.language)


@lru_cache(maxsize=32)  # every step of an answer parses its question
def parse_question(query: str, before: str = "") -> Question:
    """Parse the question. `before` is an earlier question that it refers to. The words of `before` are added to the
    question's own words. If this question has no content words, the shape of `before` applies; if its language is
    unknown, that of `before` applies."""
    language, language_before = _language(query), _language(before)
    vocabulary = vocabulary_of(language or language_before)
    words, content = _words(query, vocabulary)
    _, earlier = _words(before, vocabulary_of(language_before))
    decisive, its_language = (before, language_before) if before and not content else (query, language)
    return Question(
        words=tuple(dict.fromkeys([*content, *earlier])) or words,
        language=language or language_before,
        shape=_shape(decisive, vocabulary_of(its_language)),
        wanted=wanted_kind(decisive, its_language),
        text=decisive,
        labels=labels_of(query),
        wants_figure=bool(vocabulary.figures.search(query)),
        is_negated=bool(vocabulary.negated.search(vocabulary.lacking.sub("", query))),
        aggregate=_aggregate(query, vocabulary),
    )


def labels_of(text: str) -> frozenset[str]:
    """Return the labels of figures and tables in a text, normalized: `figure 3`, `table 2`."""
    return frozenset(
        f"{'table' if match[1].casefold().startswith('tab') else 'figure'} {match[2].casefold()}"
        for match in _LABEL.finditer(text)
    )


def _words(query: str, vocabulary: Vocabulary) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return all words of a question, and its content words. In a question for an aggregate, spending words are not
    content words. In a language with its own vocabulary, function words are also left out of all words, unless nothing
    else remains."""
    plain = vocabulary.working.sub(r"\1 \2", vocabulary.measures.sub(r"\1", query))
    for _, asks in vocabulary.aggregates:
        plain = asks.sub(" ", plain)
    words = tuple(dict.fromkeys(terms(plain if plain.strip(" ¿?") else query, None)))[:_MAX_WORDS]
    small = analysis.function_words(words)
    asking = vocabulary.asking | vocabulary.spending if _aggregate(query, vocabulary) else vocabulary.asking
    significant = tuple(word for word in words if word not in small)
    content = tuple(word for word in significant if word not in asking)
    return (significant or words) if vocabulary.asks else words, content


def _aggregate(query: str, vocabulary: Vocabulary) -> Aggregate | None:
    """Return the aggregate that a question asks for, or None. A question that asks which of two sums is larger has the
    aggregate `largest`; for the smaller, it is `smallest`."""
    if compared := vocabulary.more_or_less.search(query):
        return "largest" if compared["more"] else "smallest"
    return next((name for name, asks in vocabulary.aggregates if asks.search(query)), None)


def _language(query: str) -> str | None:
    return language_of(query.casefold().replace("?", " ").split())


def _shape(query: str, vocabulary: Vocabulary) -> Shape:
    if vocabulary.comparing.search(query):
        return "comparison"
    if vocabulary.steps.search(query):
        return "steps"
    if vocabulary.overview.search(query) or _is_topic(query, vocabulary):
        return "overview"
    if vocabulary.listing.search(query):
        return "list"
    return "explanation" if vocabulary.explaining.search(query) else "fact"


def _is_topic(query: str, vocabulary: Vocabulary) -> bool:
    """Return whether a query is only the name of a subject."""
    words = query.split()
    return len(words) <= _MAX_TOPIC_WORDS and "?" not in query and not vocabulary.listing.search(query)

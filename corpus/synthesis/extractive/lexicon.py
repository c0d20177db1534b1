"""English and German patterns for the intent of a question, and for references from a sentence to its neighbours. The
folder `vocabulary` contains the patterns for questions in other languages."""

from __future__ import annotations

import re
from typing import Literal

from corpus.text import analysis

Aggregate = Literal["sum", "count", "average", "largest", "smallest"]

COMPARING = re.compile(
    r"\b(?:compar(?:e[ds]?|ing|ison|isons)|differences?|differs?|differing|versus|vs|in contrast|unterschied\w*"
    r"|unterscheide\w*|vergleich\w*|verglichen|gegenüberstell\w*|im gegensatz)\b",
    re.IGNORECASE,
)
LISTING = re.compile(
    r"(?:^|[.?!;:]\s*|\bplease\s+|\bbitte\s+)(?:which|list|name|enumerate|what\s+(?:are|kinds?|types?|sorts?|steps|parts)"
    r"|what\s+(?:should|must|does|do)\b.{1,60}\b(?:contain|include|consist)|was\s+(?:muss|soll(?:te)?|ist|sind)\b.{1,60}\b(?:enthalten|inbegriffen|dabei)"
    r"|what(?:['’]s|\s+is|\s+are)\b.{0,60}\b(?:included|covered|part\s+of)|was\s+(?:gehört|umfasst|beinhaltet|enthält)"
    r"|give\s+(?:me\s+)?(?:a\s+list|all)|welche[rsmn]?|nenne[n]?|liste[n]?|was\s+sind|zähle[n]?|führe[n]?)\b",
    re.IGNORECASE,
)
OF_STEPS = re.compile(
    r"\b(?:how\s+(?:is|are)|wie\s+(?:wird|werden)|what\s+(?:should|can|do)\s+(?:i|we)\s+do|was\s+(?:soll|kann|muss)\s+ich\s+(?:tun|machen)|how\s+(?:do|can|could|should|must|would)\s+(?:i|we|you|one)|how\s+to|steps?\s+(?:to|for)|procedure\s+(?:to|for)|instructions?\s+(?:to|for)"
    r"|wie\s+(?:kann|muss|soll(?:te)?|darf|\w+[et])\s+(?:ich|man|wir)|wie\s+geht\s+man|schritte|anleitung\s+(?:zu|für))\b",
    re.IGNORECASE,
)
_AGGREGATING: dict[Aggregate, str] = {
    "average": r"averages?|mean|on\s+average|durchschnitt\w*|im\s+(?:schnitt|mittel)|mittelwert",
    "sum": r"how\s+much(?=\s+(?:did|do|have|has)\b.{0,60}\b(?:spen[dt]|pay|paid|cost))"
    r"|wie\s?viel(?=\b.{0,60}\b(?:ausgegeben|bezahlt|gezahlt|gekostet))|sum|total|altogether|in\s+all|all\s+together|combined|summe|insgesamt|zusammen|gesamt\w*|in\s+summe",
    "largest": (
        r"(?:single\s+)?(?:(?:high|larg|bigg|great|long|new|lat|heavi|tall|fast|costli)est|most(?:\s+(?:expensive|costly|recent))?)"
        r"|maximum|max|höchste\w*|größte\w*|meiste[nrs]?|teuerste\w*|kostspieligste\w*|längste\w*|neueste\w*|maximal\w*"
    ),
    "smallest": (
        r"(?:low|small|short|old|earli|cheap|light)est|least(?:\s+expensive)?|fewest|minimum|min"
        r"|niedrigste\w*|kleinste\w*|wenigste\w*|billigste\w*|günstigste\w*|kürzeste\w*|älteste\w*|minimal\w*"
    ),
    "count": r"how\s+many|(?<!phone\s)number\s+of|wie\s?viele|anzahl|how\s+often(?=\s+(?:did|has|have|was|were)\b)"
    r"|wie\s+oft(?=\s+(?:habe?n?|hat|wurden?|waren?|sind|ist)\b)",
}
AGGREGATES = tuple(
    (aggregate, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)) for aggregate, words in _AGGREGATING.items()
)
MORE_OR_LESS = re.compile(
    r"\b(?:(?P<more>more|mehr|higher|höher\w*)|less|lower|weniger|niedriger\w*)\b.{1,100}\b(?:or|oder)\b", re.IGNORECASE
)
"""Pattern for a question that asks for the larger or smaller of two sums, as in "Did we spend more at A or at B?"."""
_SPENDING = (
    "spend spent spending pay paid pays payment payments cost costs costing charge charged money amount amounts "
    "bill bills invoice invoices expense expenses expenditure expenditures purchase purchases transaction "
    "transactions entry entries record records row rows item items receipt receipts euro euros dollar dollars "
    "expensive single ausgegeben bezahlt bezahlen gezahlt zahlen gekostet kosten kostet geld betrag beträge "
    "rechnung rechnungen ausgabe ausgaben zahlung zahlungen einkauf einkäufe posten eintrag einträge zeile zeilen "
    "beleg belege buchung buchungen gelassen einzelne einzelner einzelnes teuer our my far unser unsere unseren "
    "unserer unserem mein meine meiner"
)
SPENDING = frozenset(_SPENDING.split())
"""Words in a question about a sum, a count or an extreme value that do not distinguish one row from another."""
ENUMERATION = re.compile(r"\w,\s[^.;:]{1,80}?(?:,\s|,?\s(?:and|or|as\s+well\s+as|und|oder|sowie)\s)\S", re.IGNORECASE)
"""Pattern for an enumeration within a sentence."""
OF_DOCUMENT = re.compile(
    r"\b(?:manual|handbook|guide|document|book|report|revision|edition|version|preface|licen[cs]e|copyright|authors?|wrote"
    r"|written|publish(?:ed|er)|handbuch\w*|anleitung|dokument\w*|buch|bericht\w*|ausgabe|auflage|vorwort|lizenz|autor\w*"
    r"|verfasser\w*|geschrieben|veröffentlicht|chang(?:ed?|es)|geändert|änderung\w*)\b",
    re.IGNORECASE,
)
"""Pattern for a question about the document itself. The document's front matter answers such a question."""
_FRONT_MATTER = re.compile(
    r"^(?:[\dIVXivx.]+\s+)?(?:preface|foreword|acknowledge?ments?|copyright|legal notice"
    r"|(?:revision|document) history|changes in this (?:revision|edition|version)"
    r"|about this (?:manual|guide|document|book|report|handbook)"
    r"|(?:table of )?contents|(?:list of )?illustrations"
    r"|inhalt(?:sverzeichnis)?|vorwort|geleitwort|danksagung|impressum"
    r"|änderungs(?:verzeichnis|historie)|(?:über|zu) diese[rsm]? (?:handbuch|anleitung|dokument|buch|bericht))$",
    re.IGNORECASE,
)
OF_FIGURES = re.compile(
    r"\b(?:figures?|fig\.|diagrams?|drawings?|pictures?|photos?|images?|charts?|graphs?|illustrations?|screenshots?|maps?|abbildung\w*|abb\.|bild(?:er)?"
    r"|diagramme?|zeichnung\w*|grafik\w*|schaubild\w*|skizzen?|look\s+like|show\s+me\s+where|zeig\w*\s+mir,?\s+wo|sieht\b.{0,200}\baus)(?:\b|(?<=\.))",
    re.IGNORECASE,
)
OVERVIEW = re.compile(
    r"\b(?:tell\s+(?:me|us)\s+(?:more\s+)?about|summari[sz]e|summary|overview|outline\s+of|give\s+me\s+the\s+gist|what\s+(?:is|are|was)\b.{0,60}\babout"
    r"|what\s+(?:was|were|has\s+been)\s+(?:decided|discussed|agreed|said)|describe|main\s+(?:points?|findings?|topics?|results?)|worum\s+geht|zusammenfass\w*"
    r"|fass\w*\b.{0,80}\bzusammen|überblick|beschreib\w*|erzähl\w*|was\s+wurde\s+(?:beschlossen|besprochen|entschieden)|wovon\s+handelt)\b",
    re.IGNORECASE,
)
"""Pattern for a question about an entire subject."""
OF_GIST = re.compile(
    r"\b(?:summari[sz]e|summary|overview|gist|about|worum\s+geht|wovon\s+handelt|zusammenfass\w*|zusammen|überblick)\b",
    re.IGNORECASE,
)
"""Pattern for a question that asks for an overview of an entire document. The document's beginning answers it best."""
EXPLAINING = re.compile(
    r"\b(?:explain|why|how\s+(?:does|do|did|was|were|can)|erklär\w*|warum|weshalb|wieso|wie\s+(?:funktioniert|wurde|arbeite\w*|entsteh\w*|läuft))\b",
    re.IGNORECASE,
)
"""Pattern for a question that needs more than one sentence to answer."""
WORKING = re.compile(
    r"\b(how\s+(?:does|do|did)\s.{1,80}?\s)(?:work|function|operate)\b"
    r"|\b(wie\s+)(?:funktionier(?:t|en)|arbeite[tn])\b",
    re.IGNORECASE,
)
"""Pattern for the verb in "how does it work", which the answer does not contain."""
NEGATED = re.compile(
    r"\b(?:not|never|without|except(?:ed|ions?)?|exclu(?:de[ds]?|ded|sions?)|nicht|kein(?:e[nmrs]?)?|nie(?:mals)?|ohne|außer"
    r"|ausgenommen|ausgeschlossen)\b|n['’]t\b",
    re.IGNORECASE,
)
"""Pattern for a negation, in a question or a text."""
LACKING = re.compile(r"\b(?:without|ohne)\b", re.IGNORECASE)
"""Pattern for the requested absence of something, as in "report it without a name". Such a question does not count as
negated."""
MEASURES = re.compile(
    r"\b(how|wie)\s+(?:often|frequently|many|much|long|far|fast|high|tall|old|large|big|heavy|hot|deep|wide|small|strong|loud|expensive|oft|häufig"
    r"|viele?[nr]?|lange?|weit|schnell|hoch|alt|groß|schwer|heiß|tief|breit|laut|teuer)\b",
    re.IGNORECASE,
)
"""Pattern for the measure in a question ("how long"). The answer contains a number with a unit instead of these
words."""
_ASKING = (
    "explain describe summarise summarize summary overview tell list name give show compare compared comparison "
    "difference differences differ "
    "versus vs according document documents please write answer format enumerate mean means erkläre "
    "erklären beschreibe beschreiben nenne nennen liste listen zeige zeigen vergleiche vergleichen "
    "vergleich unterschied unterschiede unterscheiden unterscheidet laut gemäß dokument bitte bedeutet brauche "
    "brauchen braucht benötige benötigen heißt gibt worum wovon geht handelt"
)
ASKING = frozenset(_ASKING.split())
"""Words in a question that describe the form of the answer and not the content of the documents."""

LEANING = re.compile(
    r"[\"„“(]?(?:it|its|this|these|they|them|their|such|he|she|his|her|those|that|both|however|therefore|thus|hence|also"
    r"|then|otherwise|instead|moreover|furthermore|in\s+(?:this|that|such|addition|contrast)|for\s+(?:this|that|example"
    r"|instance)|as\s+a\s+result|the\s+(?:latter|former|same)|and|but|or|so"
    r"|er|sie|es|dies|dieser|diese|dieses|diesem|diesen|dabei|dadurch|dafür|dagegen|daher|damit|danach|dann|dazu|deshalb"
    r"|deswegen|darum|darüber|darin|daran|darauf|davon|beide|jedoch|außerdem|sonst|andernfalls|stattdessen|zudem|auch"
    r"|trotzdem|dennoch|in\s+(?:diesem|dieser|diesen)|zum\s+beispiel|aus\s+diesem|solche[rsn]?|und|aber|oder|so)\b",
    re.IGNORECASE,
)
"""Pattern for the start of a sentence that refers to the previous sentence."""

LEADING = re.compile(r"(?::|\b(?:as\s+follows|the\s+following|wie\s+folgt|folgende[nrsm]?)\s*[.:]?)$", re.IGNORECASE)
"""Pattern for the end of a sentence that only introduces the text below."""

ANNOUNCING = re.compile(
    r"\b(?:two|three|four|five|six|several|following|zwei|drei|vier|fünf|sechs|mehrere|folgende[nrsm]?)\s+(?:\w+\s+){0,3}?\w+",
    re.IGNORECASE,
)
"""Pattern for a sentence that announces a number of things. These may follow one by one."""

FIRST_OF_SEVERAL = re.compile(
    r"\W*(?:first(?:ly)?|1|i|a\)|the\s+first|on\s+the\s+one\s+hand|erstens|zunächst|zum\s+einen|einerseits|der\s+erste|die\s+erste"
    r"|das\s+erste)\b",
    re.IGNORECASE,
)

POINTING = re.compile(
    r"(?:(?:see|siehe)\b|(?:the\s+following\s+)?(?:table|figure|fig\.|section|chapter|tabelle|abbildung|abb\.|bild|abschnitt"
    r"|kapitel)\s+[\d.]+\s+\w+(?:\s+\w+){0,6}\.?$|.{0,40}\b(?:is|are|ist|sind)\s+(?:shown|listed|described|dargestellt|aufgeführt"
    r"|beschrieben)\b.{0,20}\b(?:in|below|unten)\b.{0,30}$"
    r"|.{0,80}\b(?:is|are|can\s+be\s+found)\s+(?:given\s+|set\s+out\s+|stated\s+)?in\s+(?:the\s+)?(?:tables?|figures?|annex"
    r"|appendix|section)(?:\s+(?:\d[\d.]{0,6}|[a-z]))?\.?$|.{0,80}\b(?:ist|sind|finde[nt]\s+sich|stehe?[nt])\s+(?:in|im|unter)"
    r"\s+(?:der\s+|dem\s+)?(?:tabellen?|abbildung|anlage|anhang|abschnitt)(?:\s+(?:\d[\d.]{0,6}|[a-z]))?(?:\s+\w+[tn])?\.?$)",
    re.IGNORECASE,
)
"""Pattern for a sentence that only refers to another part of the document."""

_PARTICIPLE = re.compile(
    r"(ab|an|auf|aus|bei|durch|ein|fest|her|hin|los|mit|nach|über|um|unter|vor|weg|zu|zurück|zusammen)?ge(\w{3,}?)(?:et|t|en)"
)
_OF_ENGLISH = (
    "what how which the is are of for does do did in to and a an when where who why can should with from by on at"
)
_ENGLISH = frozenset(_OF_ENGLISH.split())
_OF_GERMAN = (
    "wie was welche welcher welches welchem welchen wer wo warum wann der die das den dem des ist sind und "
    "ein eine einen einem einer für von mit nicht wird werden zu zum zur im auf bei muss kann darf wozu "
    "womit wem wen oft gibt hat haben müssen können dürfen sollen"
)
_GERMAN = frozenset(_OF_GERMAN.split())
_MARKS = {
    "fr": re.compile(r"[èêùœ]|\b(?:[cdjlns]|qu)['’]|-t-|\b(?:résume|explique)[rz]?\b"),
    "es": re.compile(r"[¿¡ñ]|ción\b|\b(?:resum|explic|compar|enumer)a\b|\bresume\s+el\b"),
    "it": re.compile(
        r"\b(?:c|l|un|cos|com|dov|[dn]ell|[ads]all|sull)['’]|zion[ei]\b|\w[àòù]\b|hé\b|\b(?:riassumi|spiega|elenca|confronta)\b"
    ),
    "nl": re.compile(r"ij|aa|uu|heid|\b(?:noem|beschrijf|vat)\b"),
    "pt": re.compile(r"[ãõ]|ç[ao]|[ln]h[aeo]|\b(?:resum|explic|compar|enumer)a\b|\bresume\s+o\b"),
}
"""Patterns for spellings and requests that distinguish languages which share function words."""
LANGUAGES = ("en", "de", *_MARKS)
"""Languages in which questions are understood."""
_MIN_SCORE = 2
"""Minimum score of a language other than English and German, because a single function word may be part of a name ("van
Gogh")."""


def is_front_matter(heading: str) -> bool:
    """Return whether a section is about the document and not about its subject."""
    return bool(_FRONT_MATTER.match(heading))


def language_of(words: list[str]) -> str | None:
    """Return the language of a question, one of LANGUAGES, detected from the function words among these folded words
    and from their spelling. Return None if no language scores higher than all others. A language other than English and
    German needs a function word that these two lack."""
    text = " ".join(words)
    known = analysis.function_words_by_language(tuple(analysis.plain_words(text)))
    scores = {
        tag: len(known[tag]) + bool(marks.search(text))
        for tag, marks in _MARKS.items()
        if known[tag] - known["en"] - known["de"]
    }
    most = max(scores.values(), default=0)
    if most >= _MIN_SCORE and most > max(len(known[tag]) for tag in known if tag not in _MARKS):
        best = [tag for tag, score in scores.items() if score == most]
        return best[0] if len(best) == 1 else None
    english, german = (sum(word in known for word in words) for known in (_ENGLISH, _GERMAN))
    if english == german:
        return None
    return "en" if english > german else "de"


def core_of(word: str) -> str:
    """Return the stem of a German participle without "ge", which is also the stem of nouns and other verb forms:
    `ausbau` for `ausgebaut`. Return an empty string for other words."""
    match = _PARTICIPLE.fullmatch(word)
    return (match[1] or "") + match[2] if match else ""

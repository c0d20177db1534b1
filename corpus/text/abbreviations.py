"""Abbreviations with a full stop, and words that begin sentences, lower-cased and by language.

`NEVER_LAST` precede what they belong to, `BEFORE_NUMBER` do so before a number, `LAST_TOO` may end a sentence.
`STARTING` words begin a sentence after a full stop and are part of no name or ordinal.
"""

from __future__ import annotations

_NEVER_LAST = {
    "en": "dr mr mrs ms prof rev capt gov hon messrs mt fig figs eq eqs ch chap vs viz cf e.g i.e eg ie approx "
    "resp incl excl",
    "de": "dr prof dipl ing hr fr hrn frl fa st abb anh anl anm aufl bd bde bsp bspw bzgl bzw ca d.h dgl ehem "
    "einschl evtl exkl frz geb gegr ggf hg hrsg inkl insb insbes jhrl kap lt mind mio mrd mwst nr o.g rd s.o s.u "
    "sog ungef urspr vgl vs z.b z.t z.zt zgl zzgl i.d.r i.a i.h.v i.s.v i.v.m u.u",
    "fr": "m mm mme mmes mlle mlles dr pr me st ste cf env p.ex fig chap éd",
    "es": "sr sra sres srta dr dra d dña prof lic ud uds p.ej fig cap núm aprox av",
    "it": "sig sig.ra dott dr prof avv fig cap",
    "nl": "dr mr mw dhr prof ir fig bijv d.w.z blz nr",
}
_BEFORE_NUMBER = {
    "en": "no nos p pp vol art par para app tab ref refs sec v jan feb mar apr jun jul aug sep sept oct nov dec",
    "de": "nrn s ss sp abs art tab tel ziff rn bl str §",
    "fr": "p pp n no vol art",
    "es": "p pp n no pág págs vol art",
    "it": "p pp pag n vol art",
    "nl": "p pp vol art",
}
_LAST_TOO = {
    "en": "etc al inc ltd co corp bros jr sr a.m p.m u.s u.k u.n ph.d b.c a.d min max sec hr hrs ft st ave blvd",
    "de": "usw usf etc ff u.a u.ä o.ä uvm u.v.m v.chr n.chr jh jhd jhdt std min sek str pl co",
}

_STARTING = {
    "en": "the a an it its this that these those he she they we i you there here in on at for to by as if when while "
    "after before since although however both each every all some many most no not what who where why how but and then "
    "his her their our my your one its another other others such from with without under over",
    "de": "der die das den dem des ein eine einer einem einen er sie es wir ihr ich du man dies diese dieser dieses "
    "diesem diesen dort hier da dann danach davor dabei damit dazu daher deshalb außerdem jedoch aber und oder in im "
    "am an auf bei beim bis von vom zu zum zur mit nach seit für durch gegen ohne um unter über vor wenn weil als ob "
    "wie was wer wo warum heute später früher jetzt auch nur nicht kein keine alle jede jeder jedes viele einige "
    "beide sein seine seinen seiner ihre ihren ihrer unser unsere siehe andere",
}
_MONTHS_WORDS = (
    "januar jänner februar märz april mai juni juli august september oktober november dezember jan "
    "feb mär apr jun jul aug sep sept okt nov dez "
)
MONTHS = frozenset(_MONTHS_WORDS.split())
"""German month names, as they follow a day."""


def _by_language(lists: dict[str, str]) -> dict[str, frozenset[str]]:
    return {language: frozenset(words.split()) for language, words in lists.items()}


NEVER_LAST = _by_language(_NEVER_LAST)
BEFORE_NUMBER = _by_language(_BEFORE_NUMBER)
LAST_TOO = _by_language(_LAST_TOO)
STARTING = _by_language(_STARTING)


def words_of(lists: dict[str, frozenset[str]], language: str) -> frozenset[str]:
    """The words of a language; those of English and German for a language without a list."""
    return lists.get(language) or lists["en"] | lists["de"]

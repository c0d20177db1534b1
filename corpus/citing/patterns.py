"""The pattern of inline tokens that matter to citations: one expression, all of whose parts are bounded."""

from __future__ import annotations

import re

from corpus.citing.numbers import NUMBERS

_KEYS = (
    r"(?:Sources?|Source\(s\)|Quellen?|Quellenangaben?|References?|Refs?\.?|Fontes?|Fuentes?|Fonti|Bron(?:nen)?|"
    r"Belege?|Cit(?:e|ed|ation|ations)|Documents?|Docs?\.?|Dokumente?|Dok\.|来源|來源|出典|资料来源|المصدر|Источник)"
)
KEY = re.compile(rf"\s{{0,9}}[*_]{{0,3}}{_KEYS}[*_]{{0,3}}\s*+[:：]?[*_]{{0,3}}\s*+", re.IGNORECASE)
_PAGE = r"(?:S\.|Seiten?|pages?|pp?\.|pgs?\.|Abschnitt|section|§|lines?|Zeilen?|Kap\.|chapter)"
_BEHIND = rf"(?:\s?[,:]\s?{_PAGE}\s?[^\[\]\n]{{1,40}}|(?::\d{{1,6}})?†[^\[\]【】\n]{{0,200}})?"
_COUNTED = rf"\s{{0,3}}(?:{_KEYS}\s?[:#：]?\s?)?{NUMBERS}\s{{0,3}}{_BEHIND}"
_LABEL = r"(?:\\.|`[^`\n]{1,80}`|[^\\\[\]\n]|\[[^\[\]\n]{0,200}\]){0,300}+"
_TARGET = (
    r"\(\s{0,3}(?:<[^<>\n]{0,2000}>|(?:[^\s()<>]|\([^\s()<>]{0,200}\)){0,2000}+)"
    r"(?:\s{1,3}[\"'][^\"'\n]{0,200}[\"'])?\s{0,3}\)"
)
_BODY = r"(?:\\.|[^\\()\[\]（）】］\n]|\([^()\n]{0,80}\)|\[[^\[\]\n]{0,120}\]){1,400}+"

INLINE = re.compile(
    rf"""
      (?P<ticked>(?<!`)(?P<tick>`{{1,5}})(?!`)(?P<code>[\s\S]{{1,1000}}?)(?<!`)(?P=tick)(?!`))
    | (?P<math>\\\[(?=[^\]]{{0,300}}?(?:\\[a-zA-Z]|[=∈\[]))[\s\S]{{1,300}}?\\\]|\\\([\s\S]{{1,300}}?\\\)
        |\$(?![\s$])(?!\d[^$\n]{{0,200}}?[A-Za-z]{{3,40}}+\s)[^$\n]{{1,300}}+(?<!\s)\$(?!\d))
    | (?P<escape>\\[!-/:-@\[-`{{-~])
    | (?P<image>!\[{_LABEL}\](?:{_TARGET}|\[[^\[\]\n]{{0,200}}\]))
    | (?P<autolink><(?:https?|mailto|ftp):[^<>\s]{{1,2000}}>)
    | (?P<sup><sup>\s?(?P<raised>\[?{NUMBERS}\]?)\s?</sup>)
    | (?P<tag></?[A-Za-z][^<>\n]{{0,300}}>)
    | (?P<cited>[*_]{{0,3}}[(\[（［【]\s?[*_]{{0,3}}{_KEYS}[*_]{{0,3}}\s{{0,3}}[:：]
        (?P<body>{_BODY})[)\]）］】][*_]{{0,3}})
    | (?P<line>^[ \t]*(?:[—–-]\s)?[*_]{{0,3}}(?:Source|Quelle|Fonte|Fuente|Bron)[*_]{{0,3}}\s?[:：][*_]{{0,3}}
        (?P<rest>[^\n]{{1,300}})$)
    | (?P<link>\[(?P<label>{_LABEL})\]{_TARGET})
    | (?P<numbered>\[\[{_COUNTED}\]\]|[\[【［〔]{_COUNTED}[\]】］〕](?:[—–-](?=\[\d{{1,9}}\])\[\d{{1,9}}\])?)
    | (?P<reference>\[(?P<referring>[^\\\[\]\n]{{1,200}})\](?=\[\d{{1,9}}\]))
    | (?P<superscript>[¹²³⁰⁴-⁹](?:[⁻,˒·-]?[¹²³⁰⁴-⁹]){{0,20}})
    | (?P<file>[(\[（](?P<named>(?:\\.|[^\\()\[\]（）\n]|\([^()\n]{{0,80}}\)){{3,300}}+)[)\]）])
    | (?P<url>(?:https?://|www\.)[^\s<>\[\]()（）]{{1,2000}})
    | (?P<emphasis>\*{{1,3}}|_{{1,3}}|~~)
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)

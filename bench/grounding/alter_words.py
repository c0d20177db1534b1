"""Words that change the meaning of an altered claim, in English and German."""

from __future__ import annotations

OPPOSITES = {
    "en": (
        "more less", "before after", "above below", "higher lower", "larger smaller", "greater lesser",
        "increase decrease", "increases decreases", "increased decreased", "increasing decreasing",
        "at_least at_most", "maximum minimum", "open closed", "opened closed", "first last", "early late",
        "earlier later", "inside outside", "with without", "best worst", "high low", "large small", "long short",
        "longer shorter", "left right", "start stop", "most least", "north south", "east west", "northern southern",
        "eastern western", "upper lower", "over under", "always never", "same different", "new old", "raise lower",
        "raised lowered", "full empty", "allowed forbidden", "in-network out-of-network", "internal external",
        "include exclude", "includes excludes", "included excluded", "many few",
    ),
    "de": (
        "mehr weniger", "vor nach", "oberhalb unterhalb", "höher niedriger", "höhere niedrigere", "größer kleiner",
        "mindestens höchstens", "geöffnet geschlossen", "öffnen schließen", "erste letzte", "ersten letzten",
        "früher später", "innerhalb außerhalb", "mit ohne", "hoch niedrig", "hohe niedrige", "hohen niedrigen",
        "groß klein", "große kleine", "großen kleinen", "lang kurz", "lange kurze", "länger kürzer", "links rechts",
        "steigt sinkt", "steigen sinken", "immer nie", "neue alte", "neuen alten", "über unter", "nördlich südlich",
        "nördlichen südlichen", "östlichen westlichen", "oben unten", "zulässig unzulässig", "positiv negativ",
        "positive negative", "positiven negativen", "schnell langsam", "gleiche andere", "gleichen anderen",
        "viele wenige", "maximale minimale", "aktiv inaktiv",
    ),
}  # fmt: skip
FREQUENCIES = {
    "en": ("daily", "weekly", "monthly", "quarterly", "annually"),
    "de": ("täglich", "wöchentlich", "monatlich", "vierteljährlich", "jährlich"),
}
MODALS = {
    "en": (("must", "may"), ("must", "should"), ("can", "must"), ("will", "may"), ("should", "may"), ("shall", "may")),
    "de": (("muss", "darf"), ("müssen", "dürfen"), ("kann", "muss"), ("können", "müssen"), ("sollte", "muss"),
           ("soll", "darf"), ("sollten", "müssen")),
}  # fmt: skip
FRACTIONS = {
    "en": ("one third of", "two thirds of", "one quarter of", "three quarters of", "half of"),
    "de": ("einem Drittel", "zwei Dritteln", "einem Viertel", "drei Vierteln", "der Hälfte"),
}
VERBS = {
    "en": "is are was were can will must should could may has have had",
    "de": "ist sind war waren wird werden wurde wurden kann können muss müssen sollte hat haben",
}
"""Words after which a negation may be inserted."""
NEGATIONS = {"en": "not", "de": "nicht"}
JOINTS = {"en": "and", "de": "und"}

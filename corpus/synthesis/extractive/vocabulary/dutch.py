"""Dutch questions, and the texts that answer them."""

from __future__ import annotations

from corpus.synthesis.extractive.vocabulary.vocabulary import (
    Sums,
    Vocabulary,
    beginning,
    definitions,
    measures,
    words,
    working,
)

_MONTHS = (
    r"jan(?:uari|\.)?|feb(?:ruari|r\.|\.)?|maart|mrt\.?|apr(?:il|\.)|mei|juni|juli|aug(?:ustus|\.)|sept?(?:ember"
    r"|\.)?|okt(?:ober|\.)?"
    r"|nov(?:ember|\.)?|dec(?:ember|\.)?"
)
_DAYS = r"(?:maan|dins|woens|donder|vrij|zater|zon)dag(?:en|s)?"
_UNITS = (
    r"(?:seconden?|minu(?:ut|ten)|u(?:ur|ren)|dag(?:en)?|we(?:ek|ken)|maand(?:en)?|kwarta(?:al|len)|jaar|jaren"
    r"|decennia|eeuw(?:en)?|werkdagen|min|u)"
)
_COUNTS = (
    r"twee|drie|vier|vijf|zes|zeven|acht|negen|tien|elf|twaalf|vijftien|twintig|dertig|veertig|vijftig|zestig|honderd"
)
_NUMBER = rf"(?:\d[\d.,]{{0,20}}|{_COUNTS}|een|één|half|halve)"
_PERSONS = (
    r"voorzitters?|directeur(?:en)?|directrice|verantwoordelijken?|bestuur(?:slid|sleden)?|commissie|raad"
    r"|penningmeester|secretaris"
    r"|le(?:den|id)|lid|team|afdeling|medewerkers?|werknemers?|eigena(?:ar|ars|ren)|huurders?|verhuurders?|bedrijf"
    r"|onderneming|bureau"
    r"|auteurs?|schrijvers?|dhr|mevrouw|mevr|meneer"
)
_WHAT = r"(?:wat|welke?)"
_ASKING = (
    "leg uitleggen verklaar verklaren beschrijf beschrijven vat samen samenvatten samenvatting overzicht noem noemen "
    "lijst opsomming som geef geven toon tonen laat zien vergelijk vergelijken vergelijking verschil verschillen "
    "verschilt versus vs volgens document documenten alsjeblieft graag antwoord antwoorden betekent betekenen bedoeld "
    "nodig vertel vertellen gaat"
)
_SPENDING = (
    "uitgeven uitgegeven uitgave uitgaven besteed besteden betalen betaal betaald betaalt betaalden betaling "
    "betalingen kosten kost kostte gekost geld bedrag bedragen som rekening rekeningen factuur facturen aankoop "
    "aankopen transactie transacties boeking boekingen regel regels rij rijen post posten artikel artikelen bon "
    "bonnen euro euro's duur dure enkele enkel onze ons mijn"
)

VOCABULARY = Vocabulary(
    asking=frozenset(_ASKING.split()),
    spending=frozenset(_SPENDING.split()),
    comparing=words(
        r"vergel\w*", r"verschil(?:len|t)?", r"onderscheid\w*", "versus", "vs", r"in\s+tegenstelling",
        r"ten\s+opzichte",
    ),
    listing=beginning(
        r"welke", r"noem(?:en)?", r"som(?=\b.{1,60}\bop\b)",
        r"geef\s+(?:me\s+|mij\s+)?(?:een\s+(?:lijst|overzicht|opsomming)|alle)", r"lijst", r"wat\s+zijn",
        r"wat\s+(?:omvat|bevat)", r"wat\s+is\b.{0,60}\b(?:inbegrepen|inclusief)",
        r"wat\s+moet\b.{1,60}\b(?:bevatten|staan)",
    ),
    steps=words(
        r"hoe\s+(?:kan|kun|moet|mag|zou|zal)\s+(?:ik|je|men|u|we|wij|jij)", r"hoe\s+(?:wordt|worden)",
        r"hoe\s+\w+\s+(?:ik|je|men|we|wij|u)", r"stappen", r"procedure\s+(?:voor|om)", r"instructies?\s+(?:voor|om)",
        r"wat\s+(?:moet|kan|mag)\s+(?:ik|je|we)\s+doen", r"hoe\s+te",
    ),
    overview=words(
        r"samenvat\w*", r"vat\b.{0,80}\bsamen", r"overzicht", r"beschrijf\w*", r"vertel\w*", r"waar\s?over\s+gaat",
        r"waar\s+gaat\b.{0,80}\bover", r"hoofdpunten", r"belangrijkste\s+(?:punten|conclusies|resultaten)",
        r"wat\s+(?:is|werd)\b.{0,60}\b(?:besloten|besproken|afgesproken)",
    ),
    gist=words(
        r"samenvat\w*", r"vat\b.{0,80}\bsamen", "overzicht", r"waar\s?over\s+gaat", r"waar\s+gaat\b.{0,80}\bover",
    ),
    explaining=words(
        r"leg\b.{0,80}\buit", r"uitleg\w*", r"verklaar", "waarom", r"hoe\s+(?:werkt|werken|komt|ontstaat|is|was|werd)",
    ),
    measures=measures(
        "hoe", "vaak", "lang", "ver", "snel", "hoog", "oud", "groot", "zwaar", "heet", "diep", "breed", "klein", "duur",
        "luid", "laat", "veel",
    ),
    working=working("hoe", r"werk(?:t|en)", r"functioneer(?:t|en)"),
    negated=words(
        "niet", "nooit", "zonder", r"geen", "behalve", "uitgezonderd", r"uitgesloten", "uitzondering", "niemand",
        "niets", "noch",
    ),
    lacking=words("zonder"),
    figures=words(
        r"figu(?:ur|ren)", r"schema(?:'s)?", r"diagram(?:men)?", r"tekening(?:en)?", r"afbeelding(?:en)?",
        r"foto(?:'s)?", r"grafiek(?:en)?", r"illustratie(?:s)?", r"plattegrond(?:en)?", r"kaart(?:en)?",
        r"ziet\b.{0,200}\beruit", r"laat\s+(?:me\s+)?zien\s+waar",
    ),
    of_document=words(
        "handleiding", "handboek", "gids", "document", "boek", "rapport", "verslag", "editie", "versie", "uitgave",
        "voorwoord", "licentie", "copyright", r"auteurs?", "geschreven", "schreef", "gepubliceerd", "gewijzigd",
        "wijzigingen", "veranderd",
    ),
    aggregates=(
        ("average", words(r"gemiddelde?n?")),
        (
            "sum",
            words(
                r"hoeveel(?=\b.{0,60}\b(?:uitgegeven|betaald|gekost|besteed|kostten?)\b)", r"in\s+totaal", "totaal",
                "totale", r"de\s+som", r"alles\s+bij\s+elkaar", r"bij\s+elkaar", "opgeteld", "tezamen",
            ),
        ),
        (
            "largest",
            words(
                r"(?:hoogste|grootste|duurste|langste|nieuwste|zwaarste|snelste|recentste|kostbaarste)n?",
                r"(?:hoog|groot|duur|lang|nieuw|zwaar)st", r"(?:het\s+)?meeste?n?", r"meest\s+\w+e", r"maximale?",
                "maximum", "max",
            ),
        ),
        (
            "smallest",
            words(
                r"(?:laagste|kleinste|goedkoopste|kortste|oudste|lichtste|voordeligste)n?",
                r"(?:laag|klein|goedkoop|kort|oud)st", r"(?:het\s+)?minste?n?", r"minst\s+\w+e", r"minimale?",
                "minimum", "min",
            ),
        ),
        (
            "count",
            words(
                r"hoeveel(?!\s+(?:kost\w*|is|zijn|heeft|hebben|betaa\w+|geld|bedraagt|moet\w*|krijg\w*|verdien\w*)\b)",
                r"(?:het\s+)?aantal", r"hoe\s+vaak(?=\s+(?:heeft|hebben|is|zijn|werd|werden|was|waren)\b)",
                r"hoe\s+veel",
            ),
        ),
    ),
    more_or_less=words(r"(?:(?P<more>meer|hoger)|minder|lager)\b.{1,100}\bof"),
    asks={
        "frequency": words(r"hoe\s+(?:vaak|dikwijls)", r"hoeveel\s+keer", r"om\s+de\s+hoeveel"),
        "duration": words(
            r"hoe\s?lang", rf"hoeveel\s+{_UNITS}",
            rf"{_WHAT}\s+(?:is\s+de\s+)?(?:duur|periode|termijn|looptijd|opzegtermijn)",
        ),
        "contact": words(
            r"telefoon\w*", r"adres\w*", r"e-?mail\w*", r"contact\w*", r"website", r"bereik(?:en|baar)", "bellen",
            "fax", r"postadres",
        ),
        "amount": words(
            r"hoeveel\s+(?:kost\w*|is|bedraagt|heeft|hebben|betaa\w+|geld|moet\w*|krijg\w*|verdien\w*)",
            r"hoe\s+(?:duur|hoog)", r"wat\s+kost(?:en|te)?",
            rf"{_WHAT}\b.{{0,30}}\b(?:kosten|prijs|prijzen|tarief|tarieven|bedrag|huur|budget|salaris|loon"
            rf"|percentage|omvang|gewicht|snelheid|lengte|hoogte|breedte|omzet)",
        ),
        "number": words(
            r"hoeveel", r"hoe\s+(?:ver|snel|hoog|oud|groot|zwaar|heet|diep|breed|klein|luid)",
            rf"{_WHAT}\s+is\s+het\s+aantal",
        ),
        "date": words(
            r"(?:^|(?:sinds|vanaf|tot|en)\s+)wanneer", r"welke?\s+(?:datum|dag|jaar|maand|tijd)",
            r"op\s+welke?\s+(?:dag|datum)", r"hoe\s+laat", r"wat\s+is\s+de\s+(?:datum|uiterste\s+datum|deadline)",
            "deadline",
        ),
        "person": words(r"(?:aan\s+|van\s+|met\s+|door\s+)?wie", "wiens", r"auteurs?", "schrijver"),
        "reason": words(
            r"waarom", r"waarvoor", r"hoezo", r"hoe\s+komt\s+het", r"wat\s+is\s+de\s+(?:reden|oorzaak)",
            r"om\s+welke\s+reden", "waardoor",
        ),
    },
    holds={
        "date": words(
            rf"(?:{_MONTHS})", rf"(?:{_DAYS})", rf"{_NUMBER}\s+{_UNITS}", r"om\s+\d{1,2}",
            r"\d{1,2}(?:[.:]\d\d)?\s?(?:uur|u)", "middernacht", r"(?:begin|eind|einde|midden|medio)\s+(?:van\s+)?\w+",
            r"\w{1,30}(?:de|ste)\s+dag", "vandaag", "morgen", "gisteren",
            r"in\s+(?:het\s+|de\s+)?(?:voorjaar|zomer|najaar|herfst|winter)",
        ),
        "duration": words(
            rf"{_NUMBER}\s+(?:\w+\s)?{_UNITS}", rf"\d\s?{_UNITS}", r"tot(?:dat)?\s+(?:en\s+met|het|de|\w+\s\d{4}|\d)",
            r"onbeperkte?", r"onbepaalde?", r"permanente?",
        ),
        "frequency": words(
            r"elke?", r"ieder(?:e)?", r"alle", r"per\s+(?:dag|week|maand|jaar|kwartaal|uur)", r"eens", r"eenmaal",
            r"tweemaal", r"driemaal", r"\w+\s+(?:keer|maal)", r"dagelijkse?", r"wekelijkse?", r"maandelijkse?",
            r"jaarlijkse?", r"halfjaarlijkse?", r"regelmatige?", "nooit", "altijd",
        ),
        "amount": words(
            "gratis", "kosteloos", "niets", r"(?:prijs|tarief|kosten|bedrag|huur)\b[^;:\n]{0,30}:\s*[\d€$£]",
        ),
        "number": words(_COUNTS, "geen", r"tientallen", r"dozijn(?:en)?"),
        "contact": words(r"\d{4}\s?[A-Z]{2}", r"\w{1,40}(?:straat|laan|weg|plein|gracht|kade|dijk)\s+\d{1,4}"),
        "person": words(rf"(?i:{_PERSONS})"),
        "reason": words(
            "omdat", "doordat", "want", "aangezien", "zodat", "opdat", r"vanwege", r"wegens", r"dankzij", r"door",
            "daarom", "daardoor", "dus", r"reden(?:en)?", r"oorza(?:ak|ken)", r"om\s+te", r"om\b.{1,60}\bte\s+\w+en",
            r"als\s+gevolg", r"teneinde", r"ten\s+gevolge",
        ),
    },
    prices=words(
        r"kost(?:en|te)?", r"prij(?:s|zen)", r"tarie(?:f|ven)", "huur", "borg", r"boetes?", r"salaris(?:sen)?", "duur",
        "dure", r"contributie", r"vergoeding",
    ),
    when=beginning("wanneer"),
    definitions=definitions(
        r"wat\s+(?:is|zijn|was|betekent|betekenen|houdt|verstaat\s+men\s+onder|wordt\s+bedoeld\s+met)"
        r"|definitie\s+van|definieer",
        r"een|de|het", r"betekent|in", r"is|zijn|was|betekent|betekenen|houdt\s+in|verwijst\s+naar|staat\s+voor|omvat",
        r"niet|alleen|ook|nog|slechts|ge\w+[dt]",
    ),
    sums=Sums(
        money=words(
            r"uitg\w*", r"kost\w*", "gekost", r"betaal\w*", r"dure?", r"duurste", r"goedkoop\w*", r"prij\w*",
            r"bedrag\w*", r"factu\w*", "geld",
        ),
        how_much=words("hoeveel"),
        age=words(r"oude?", "oudste", "nieuwste", r"recent\w*"),
        total=words(r"uitgegeven|betaald|gekost|besteed|kosten|kost"),
        row=words(r"enkele?", r"duurste|dure|duur", r"goedkoopste?"),
        per=words(r"welke?\s+(?:van\s+(?:de|onze)\s+)?(?P<name>[^\W\d_]{3,30})|(?P<person>wie)"),
    ),
)  # fmt: skip

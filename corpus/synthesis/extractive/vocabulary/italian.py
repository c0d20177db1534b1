"""Italian questions, and the texts that answer them."""

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
    r"gen(?:naio|\.)|feb(?:braio|br\.|\.)?|marzo|apr(?:ile|\.)|maggio|mag\.|giugno|giu\.|luglio|lug\.|ago(?:sto|\.)"
    r"|sett?(?:embre|\.)|ott(?:obre|\.)|nov(?:embre|\.)?|dic(?:embre|\.)?"
)
_DAYS = r"(?:lune|marte|mercole|giove|vener)dì|sabat[oi]|domenic(?:a|he)"
_UNITS = (
    r"(?:second[oi]|minut[oi]|or[ae]|giorn[oi]|settiman[ae]|mes[ei]|trimestr[ei]|semestr[ei]|ann[oi]|decenni[o]?"
    r"|secol[oi]|min|h)"
)
_COUNTS = (
    r"due|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici|quindici|venti|trenta|quaranta|cinquanta"
    r"|sessanta|cento"
)
_NUMBER = rf"(?:\d[\d.,]{{0,20}}|{_COUNTS}|un[oa]?|mezz[oa])"
_PERSONS = (
    r"presidente(?:ssa)?|direttor[ei]|direttric[ei]|responsabil[ei]|comitato|consiglio|tesorier[eia]|segretari[oa]?"
    r"|membr[oi]"
    r"|soc[io]|squadra|reparto|ufficio|dipendent[ei]|impiegat[oai]|proprietari[oa]?|inquilin[oai]|società|azienda"
    r"|impresa|agenzia"
    r"|autor[ei]|autric[ei]|Sig|Sig\.ra|signora?|dott"
)
_ASKING = (
    "spiega spiegare spiegami spieghi descrivi descrivere descriva riassumi riassumere riassunto panoramica elenca "
    "elencare elenco lista nomina nominare indica indicare dimmi dire dica dai dammi dare mostra mostrare mostrami "
    "confronta confrontare confronto paragona differenza differenze differiscono versus vs secondo documento "
    "documenti favore rispondi rispondere risposta significa significano vuol bisogno serve tratta parla parlami"
)
_SPENDING = (
    "spendere spesa spese speso spesi abbiamo pagare paga pagato pagata pagati pagamento pagamenti costare costa "
    "costano costato costata costo costi denaro soldi importo importi somma cifra fattura fatture acquisto acquisti "
    "transazione transazioni voce voci riga righe articolo articoli ricevuta ricevute scontrino euro caro cara cari "
    "care costoso costosa singola singolo unica unico nostro nostra nostri nostre mio mia"
)

VOCABULARY = Vocabulary(
    asking=frozenset(_ASKING.split()),
    spending=frozenset(_SPENDING.split()),
    comparing=words(
        r"confront\w*", r"paragon\w*", r"differenz[ae]", r"differi\w+", r"distingu\w*", "versus", "vs",
        r"rispetto\s+a(?:l|lla|i)?",
    ),
    listing=beginning(
        r"quali\s+(?:sono|erano|furono)", r"quali\s+\w+", r"elenc\w+", r"nomina(?:re)?", r"cita(?:re)?",
        r"indica(?:re)?", r"da(?:i|mmi|re)\s+(?:una?\s+(?:lista|elenco)|tutt[ie])",
        r"(?:che\s+)?cosa\s+(?:comprende|contiene|include)",
        r"(?:che\s+)?cosa\s+(?:è\s+(?:incluso|compreso)|deve\s+contenere)",
    ),
    steps=words(
        r"come\s+(?:posso|possiamo|può|devo|dobbiamo|deve|faccio|facciamo|si|fare)", r"come\s+\w+(?:are|ere|ire)",
        r"come\s+(?:viene|vengono)", r"come\s+(?:è|sono)\s+\w+t[oaie]", r"pass[oi]\s+per", r"procedura\s+(?:per|di)",
        r"istruzioni\s+per", r"(?:che\s+)?cosa\s+(?:devo|posso|bisogna|si\s+deve)\s+fare",
    ),
    overview=words(
        r"riassu\w+", r"riepilog\w*", r"sintesi", r"panoramica", r"descri\w+", r"parlami", r"raccontami",
        r"di\s+(?:che\s+)?cosa\s+(?:tratta|parla|si\s+tratta)", r"punti\s+(?:principali|chiave|essenziali)",
        r"(?:che\s+)?cosa\s+(?:è\s+stato|si\s+è)\s+(?:deciso|discusso|concordato|detto)",
    ),
    gist=words(
        r"riassu\w+", r"riepilog\w*", "sintesi", "panoramica", r"di\s+(?:che\s+)?cosa\s+(?:tratta|parla|si\s+tratta)",
    ),
    explaining=words(r"spieg\w+", "perché", "perchè", "come"),
    measures=measures(
        r"quant[oaie]|ogni|con\s+quale|a\s+quale|a\s+che", "tempo", "volte", "frequenza", "ora", "data", "quanto",
        r"alt[oa]", r"lung[oa]", "distanza", "velocità", "altezza",
    ),
    working=working("come", r"funziona\w*", r"lavora\w*"),
    negated=words(
        "non", "mai", "senza", "tranne", "eccetto", "salvo", r"esclu\w*", r"nessun[oa]?", "né", "nulla", "niente",
    ),
    lacking=words("senza"),
    figures=words(
        r"figur[ae]", r"schem[ai]", r"diagramm[ai]", r"disegn[oi]", r"immagin[ei]", r"foto(?:grafi[ae])?",
        r"grafic[oi]", r"illustrazion[ei]", r"piantin[ae]", r"mapp[ae]", r"che\s+aspetto", r"mostra(?:mi)?\s+dove",
    ),
    of_document=words(
        "manuale", "guida", "documento", "libro", "rapporto", "relazione", "edizione", "versione", "prefazione",
        "licenza", "copyright", r"autor[ei]", r"autric[ei]", r"scritt[oaie]", r"pubblicat[oaie]", r"redatt[oaie]",
        r"modific\w+", "cambiamenti",
    ),
    aggregates=(
        ("average", words(r"(?:in|di)\s+media", "media", "medio", "medi", "medie")),
        (
            "sum",
            words(
                r"quanto(?=\b.{0,60}\b(?:speso|pagato|costat[oa])\b)", r"in\s+totale", r"total[ei]", r"complessiv\w*",
                r"in\s+tutto", r"la\s+somma", r"nel\s+complesso",
            ),
        ),
        (
            "largest",
            words(
                r"più\s+(?:car[oa]|cari|care|alt[oaie]|grand[ei]|elevat[oaie]|lung[oa]|lunghi|lunghe|recent[ei]"
                r"|nuov[oaie]|pesant[ei]|costos[oaie]|veloc[ei]|important[ei])",
                r"(?:il|la|i|le|nostra|nostro)\s+maggior[ei]?", "maggiore", "maggiori", r"massim[oaie]", "max",
                r"di\s+più",
            ),
        ),
        (
            "smallest",
            words(
                r"più\s+(?:economic[oaie]|bass[oaie]|piccol[oaie]|cort[oaie]|vecchi[oa]?|antic[oa]|legger[oaie]"
                r"|brev[ei])",
                r"meno\s+car[oaie]", r"di\s+meno", r"minor[ei]", r"minim[oaie]", "min",
            ),
        ),
        ("count", words(r"quant[ie]", r"(?:il\s+)?numero\s+d(?:i|ei|elle|egli)(?!\s+tel)", r"quante\s+volte")),
    ),
    more_or_less=words(r"(?:(?P<more>più)|meno)(?=\s(?:da|dal|per|in|nel|a|con|presso|durante)\b).{1,60}\bo"),
    asks={
        "frequency": words(
            r"con\s+(?:quale|che)\s+frequenza", r"ogni\s+quant[oaie]", r"quante\s+volte", r"quanto\s+spesso",
            r"quale\s+frequenza",
        ),
        "duration": words(
            r"(?:per\s+|da\s+)?quanto\s+(?:tempo|dura\w*|ci\s+vuole)", rf"quant[ie]\s+{_UNITS}",
            r"(?:quale|qual\s+è)\s+(?:la\s+|il\s+)?(?:durata|termine|periodo)",
        ),
        "contact": words(
            r"telefon\w*", r"indirizz\w*", r"e-?mail", r"posta\s+elettronica", r"contatt\w*", r"sito(?:\s+web)?",
            "chiamare", "fax", r"recapit[oi]",
        ),
        "amount": words(
            r"quanto(?!\s+(?:tempo|dura|spesso|ci\s+vuole))", r"a\s+quanto",
            r"(?:quale?|quali|che)\b.{0,30}\b(?:prezz[oi]|cost[oi]|tariff[ae]|import[oi]|affitto|somma|bilancio"
            r"|stipendio|percentuale|tasso|dimension[ei]|peso|velocità|lunghezza|altezza|larghezza|fatturato"
            r"|ricav[oi])",
        ),
        "number": words(
            r"quant[ie]", r"a\s+(?:quale|che)\s+(?:distanza|velocità|altezza)", r"(?:quale|qual\s+è\s+il)\s+numero",
            r"quanti\s+anni",
        ),
        "date": words(
            r"(?:^|(?:da|fino\s+a|entro|di|e)\s+)quando",
            r"(?:quale|che|qual\s+è)\s+(?:la\s+|il\s+|l['’])?(?:data|giorno|mese|anno|ora)", r"a\s+che\s+ora",
            r"in\s+(?:che|quale)\s+(?:anno|data|mese)", r"scadenza",
        ),
        "person": words(r"(?:a\s+|di\s+|con\s+|da\s+)?chi", r"autor[ei]", r"autric[ei]"),
        "reason": words(
            r"perch[éè]", r"come\s+mai", r"per\s+(?:quale|che)\s+(?:motivo|ragione)",
            r"qual\s+è\s+(?:il\s+motivo|la\s+(?:ragione|causa))", r"a\s+(?:che\s+)?cosa\s+serve",
        ),
    },
    holds={
        "date": words(
            rf"(?:{_MONTHS})", rf"(?:{_DAYS})", rf"{_NUMBER}\s+{_UNITS}", r"(?:alle|ore)\s+\d{1,2}", "mezzogiorno",
            "mezzanotte", r"(?:inizio|fine|metà)\s+(?:di|del|della|dell['’])?\s?\w+", "oggi", "domani", "ieri",
            r"in\s+(?:primavera|estate|autunno|inverno)",
        ),
        "duration": words(
            rf"{_NUMBER}\s+(?:\w+\s)?{_UNITS}", rf"\d\s?{_UNITS}", r"fino\s+a\w{0,3}", r"illimitat[oaie]",
            r"indeterminat[oaie]", r"permanent\w*",
        ),
        "frequency": words(
            "ogni", r"tutt[ie]\s+(?:i|gli|le)", r"al(?:la|l['’])?\s?(?:giorno|settimana|mese|anno|trimestre|ora)",
            r"una\s+volta", r"\w+\s+volte", r"quotidian\w*", r"giornalier\w*", r"settimanal\w*", r"mensil\w*",
            r"trimestral\w*", r"semestral\w*", r"annual\w*", "regolarmente", "mai", "sempre",
        ),
        "amount": words(
            "gratis", r"gratuit\w*", "nulla", "niente",
            r"(?:prezzo|tariffa|costo|importo|affitto)\b[^;:\n]{0,30}:\s*[\d€$£]",
        ),
        "number": words(_COUNTS, r"nessun[oa]?", r"decin[ae]", r"dozzin[ae]"),
        "contact": words(r"(?:via|viale|piazza|corso|largo|vicolo|strada)\s{1,3}[^\s,;][^,;\n]{0,60}?,?\s{1,3}\d{1,4}"),
        "person": words(rf"(?i:{_PERSONS})"),
        "reason": words(
            r"perch[éè]", r"poich[éè]", r"giacch[éè]", "siccome", r"dato\s+che", r"visto\s+che", r"a\s+causa",
            r"grazie\s+a\w{0,3}", "quindi", "perciò", "pertanto", r"per\s+(?:evitare|\w+(?:are|ere|ire))",
            r"affinch[éè]", r"in\s+modo\s+da", r"al\s+fine", r"motiv[oi]", r"ragion[ei]", r"caus[ae]", r"dovut[oaie]",
            r"in\s+quanto", r"in\s+seguito\s+a\w{0,3}",
        ),
    },
    prices=words(
        r"cost[aoi]", "costano", "costare", r"prezz[oi]", r"tariff[ae]", r"tass[ae]", "affitto", "cauzione",
        r"mult[ae]", r"stipendi[o]?", r"car[oaie]", r"quot[ae]",
    ),
    when=beginning("quando"),
    definitions=definitions(
        r"(?:(?:che\s+)?cos['’]è|(?:che\s+)?cosa\s+(?:è|sono|significano?|vuol\s+dire|si\s+intende\s+per)"
        r"|che\s+(?:significa|vuol\s+dire)|definizione\s+d(?:i|ell['’]|el|ella)|definisci)",
        r"un[oa]?|un['’]|il|lo|la|i|gli|le|l['’]", r"significa|vuol\s+dire",
        r"è|sono|era|significano?|indica|designa|vuol\s+dire|si\s+intende|si\s+definisce|consiste\s+in|rappresenta",
        r"non|più|solo|anche|stat[oaie]|\w+(?:ato|ata|ati|ate|uto|uta|iti|ita|ito)",
    ),
    sums=Sums(
        money=words(
            r"spes[aeoi]", "spendere", r"cost\w*", r"pag\w*", r"car[oaie]", r"economic[oaie]", r"prezz[oi]",
            r"import[oi]", r"fattur\w*", "soldi",
        ),
        how_much=words("quanto"),
        age=words(r"vecchi[oae]?", r"antic[oa]", r"recent[ei]", r"nuov[oaie]"),
        total=words(r"speso|pagato|costat[oaie]|costano|costa"),
        row=words(r"singol[oa]", r"unic[oa]", r"car[oaie]", r"costos[oaie]", r"economic[oaie]"),
        per=words(r"(?:quale|quali|che)\s+(?P<name>[^\W\d_]{3,30})|(?P<person>chi)"),
    ),
)  # fmt: skip

"""French questions, and the texts that answer them."""

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
    r"janv(?:ier|\.)?|févr?(?:ier|\.)?|mars|avril|avr\.|mai|juin|juil(?:let|\.)?|août|sept(?:embre|\.)?|oct(?:obre|\.)?"
    r"|nov(?:embre|\.)?|déc(?:embre|\.)?"
)
_DAYS = r"(?:lun|mar|mercre|jeu|vendre|same)dis?|dimanches?"
_UNITS = (
    r"(?:secondes?|minutes?|heures?|jours?|semaines?|mois|trimestres?|semestres?|ans?|années?|décennies?|siècles?"
    r"|min|h)"
)
_COUNTS = (
    r"deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|quinze|vingt|trente|quarante|cinquante|soixante|cent"
)
_NUMBER = rf"(?:\d[\d.,]{{0,20}}|{_COUNTS}|une?|demie?)"
_PERSONS = (
    r"président\w{0,2}|directeurs?|directrices?|responsables?|comités?|conseils?|trésori(?:er|ère)s?|secrétaires?"
    r"|membres?"
    r"|équipes?|service|employée?s?|salariée?s?|propriétaires?|locataires?|sociétés?|entreprises?|agence|auteure?s?"
    r"|bureau"
    r"|Mme|Maître"
)
_VERB_PRONOUN = r"(?:-t)?-(?:je|tu|il|elle|on|nous|vous|ils|elles|ce)"
_ASKING = (
    "plus fais faites faire dresse dressez explique expliquer expliquez décris décrire décrivez résume résumer "
    "résumez résumé aperçu liste lister "
    "listez nomme nommer nommez donne donner donnez montre montrer montrez énumère énumérer énumérez compare comparer "
    "comparez comparaison différence différences diffère diffèrent versus vs selon document documents svp plaît "
    "répondre réponse dis dites parle parlez signifie signifient veut dire besoin agit"
)
_SPENDING = (
    "dépenser dépense dépenses dépensé dépensée dépensés payer paye paie payé payée payés paiement paiements coûter "
    "coûte coûtent coûté coût coûts argent somme montant montants facture factures frais achat achats transaction "
    "transactions écriture écritures ligne lignes poste postes article articles reçu reçus euro euros cher chère seul "
    "seule unique notre nos mon ma mes réglé versé"
)

VOCABULARY = Vocabulary(
    asking=frozenset(_ASKING.split()),
    spending=frozenset(_SPENDING.split()),
    comparing=words(
        r"compar\w*", r"différences?", r"diff[èe]re(?:nt)?", r"distingu\w*", "versus", "vs", r"par\s+rapport\s+à",
        r"par\s+opposition",
    ),
    listing=beginning(
        r"quel(?:le)?s\s+(?:sont|étaient)", r"quel(?:le)?s\s+\w+", r"list\w*",
        r"(?:fai(?:s|tes)|dresse[rz]?)\s+(?:une\s+|la\s+)?liste", r"énum[èé]r\w*", r"nomme[rz]?", r"cite[rz]?",
        r"donne[rz]?(?:-moi)?\s+(?:une\s+liste|tous|toutes)", r"qu['’]est-ce\s+qui\s+est\s+(?:inclus|compris)",
        r"que\s+(?:comprend|contient|comporte|inclut)", r"que\s+doit\s+(?:contenir|comporter)",
    ),
    steps=words(
        r"comment\s+(?:puis-je|peut-on|pouvons-nous|dois-je|doit-on|devons-nous|faut-il|faire|procéder"
        r"|est-ce\s+qu\W?(?:e|on)\s+\w+)",
        r"comment\s+(?:je|on)\s+(?:peut|peux|dois|doit|fait)", r"comment\s+\w+-(?:t-)?on", r"comment\s+\w+(?:er|ir|re)",
        r"comment\s+(?:est|sont)\b", r"étapes?\s+(?:pour|de)", r"procédure\s+(?:pour|de)", r"instructions\s+pour",
        r"que\s+(?:dois-je|faut-il|doit-on|faire)(?:\s+faire)?",
    ),
    overview=words(
        r"résum\w*", r"aperçu", r"vue\s+d['’]ensemble", r"synthèse", r"décri\w+", r"parle(?:z)?(?:-moi|-nous)",
        r"de\s+quoi\s+(?:parle|traite|s['’]agit)\w*", r"points?\s+(?:essentiels?|principa(?:l|ux)|clés?)",
        r"qu['’]a-t-on\s+(?:décidé|discuté)", r"qu['’]est-ce\s+qui\s+a\s+été\s+(?:décidé|discuté|convenu)",
        r"que\s+(?:dit|raconte)",
    ),
    gist=words(r"résum\w*", "aperçu", "synthèse", r"vue\s+d['’]ensemble", r"de\s+quoi\s+(?:parle|traite|s['’]agit)\w*"),
    explaining=words(r"expliqu\w*", "pourquoi", r"comment"),
    measures=measures(
        r"combien|à\s+quel(?:le)?", r"de\s+(?:temps|fois)", "fréquence", "heure", "date", "hauteur", "distance",
        "vitesse",
    ),
    working=working("comment", r"fonctionn\w*", r"marche(?:nt)?"),
    negated=words(
        r"ne", r"n['’]\w+", "pas", "jamais", "aucune?s?", "sans", "sauf", "excepté", "hormis", r"exclu\w*", "nul",
        "nulle"
    ),
    lacking=words("sans"),
    figures=words(
        r"figures?", r"schémas?", r"diagrammes?", r"dessins?", r"images?", r"photos?", r"graphiques?",
        r"illustrations?", r"plans?", r"cartes?", r"courbes?", r"ressembl\w+", r"montre[rz]?(?:-moi)?\s+où",
    ),
    of_document=words(
        "manuel", "notice", "guide", "document", "livre", "rapport", "édition", "version", "préface", "licence",
        "copyright", r"auteure?s?", r"écrite?s?", r"publiée?s?", r"rédigée?s?", r"modifi\w+", "changements?",
    ),
    aggregates=(
        ("average", words(r"(?:en\s+)?moyennes?", "moyens?")),
        (
            "sum",
            words(
                r"combien(?=\b.{0,60}\b(?:dépensé|payé|coûté|versé|déboursé)\w{0,2}\b)", r"au\s+total", "totale?",
                "totaux", r"en\s+tout", r"la\s+somme", "ensemble",
            ),
        ),
        (
            "largest",
            words(
                r"(?:la|le|les|notre|nos)\s+plus\s+(?:grand|gros|haut|cher|élevé|long|récent|important|lourd|coûteu"
                r"|nouve|rapide)\w*",
                r"plus\s+(?:grande?|gros(?:se)?|haute?|ch(?:er|ère)|élevée?|longue?|récente?|importante?|lourde?"
                r"|coûteu(?:x|se))s?",
                r"le\s+plus(?!\s+(?:de\s+)?(?:petit|bas|court|vieu|ancien|faible))", "maximum", "maximale?", "max",
                r"supérieure?",
            ),
        ),
        (
            "smallest",
            words(
                r"(?:(?:la|le|les)\s+)?plus\s+(?:petite?|bas(?:se)?|courte?|vieux|vieille|ancien(?:ne)?|faible|léger"
                r"|légère)s?",
                r"(?:(?:la|le|les)\s+)?moins\s+(?:ch(?:er|ère)|élevée?|coûteu(?:x|se))s?", r"le\s+moins", "minimum",
                "minimale?", "min",
            ),
        ),
        ("count", words(
            r"combien\s+(?:de(?!\s+temps\b)|d['’](?!\s?argent))", r"(?:le\s+)?nombre\s+(?:de|d['’])",
            r"combien\s+de\s+fois"),
        ),
    ),
    more_or_less=words(r"(?:(?P<more>plus)|moins)(?=\s(?:chez|pour|à|aux?|en|dans|sur|avec|pendant)\b).{1,60}\bou"),
    asks={
        "frequency": words(
            r"à\s+quelle\s+fréquence", r"combien\s+de\s+fois", r"tous\s+les\s+combien",
            r"quelle\s+(?:est\s+la\s+)?fréquence",
        ),
        "duration": words(
            r"combien\s+de\s+temps", rf"combien\s+(?:de\s+|d['’]){_UNITS}",
            r"(?:quelle|quel)\s+(?:est\s+(?:la|le)\s+)?(?:durée|délai|période)", r"depuis\s+combien",
            r"pendant\s+combien",
        ),
        "contact": words(
            r"téléphone\w*", r"numéro\s+(?:de\s+tél\w*|d['’]appel)", r"adresse\w*", r"e-?mail", "courriel", r"mél",
            "contact", r"contacter", "joindre", r"site\s+(?:web|internet)", "appeler", "fax", "coordonnées",
        ),
        "amount": words(
            r"combien\s+(?:coûte|coûtent|vaut|valent|paie|paye|touche|gagne|a|ai|avons|avez|ont|dois|doit|faut|est"
            r"|cela|ça)\w*",
            rf"combien\s+\w+{_VERB_PRONOUN}", r"combien(?=\s*\W*$)", r"à\s+combien",
            r"quel(?:le)?s?\b.{0,30}\b(?:prix|coût|tarif|montant|loyer|somme|budget|salaire|pourcentage|taux|taille"
            r"|poids|vitesse|longueur|hauteur|largeur|chiffre\s+d['’]affaires)s?",
        ),
        "number": words(
            r"combien", r"à\s+quelle\s+(?:distance|vitesse|hauteur)", r"quel\s+(?:est\s+le\s+)?nombre", r"quel\s+âge",
        ),
        "date": words(
            r"(?:^|(?:depuis|jusqu['’]à|partir\s+de|de|et|savoir)\s+)quand",
            r"quand\s+(?:est-ce|\w+-(?:t-)?(?:il|elle|on|ils|elles))", r"à\s+quelle\s+(?:date|heure)",
            r"quel(?:le)?\s+(?:est\s+(?:la|le)\s+)?(?:date|jour|mois|année|heure)", r"en\s+quelle\s+année",
            r"date\s+limite", r"échéance",
        ),
        "person": words(r"(?:^|(?:à|de|avec|pour|par|chez|et)\s+)qui", r"auteure?s?"),
        "reason": words(
            r"pourquoi", r"pour\s+quelle(?:s)?\s+raisons?", r"quelle\s+est\s+la\s+(?:raison|cause)", r"à\s+quoi\s+sert",
        ),
    },
    holds={
        "date": words(
            rf"(?:1er\s+)?(?:{_MONTHS})", rf"(?:{_DAYS})", rf"{_NUMBER}\s+{_UNITS}",
            r"\d{1,2}\s?h(?:eures?)?(?:\s?\d\d)?", "midi", "minuit", r"(?:début|fin|mi-)\s?\w+",
            r"(?:le\s+)?\w{1,30}ième\s+jour", r"aujourd['’]hui", "demain", "hier", r"au\s+printemps",
            r"en\s+(?:été|automne|hiver)",
        ),
        "duration": words(
            rf"{_NUMBER}\s+(?:\w+\s)?{_UNITS}", rf"\d\s?{_UNITS}", r"jusqu['’](?:au?|en|à)", r"illimitée?s?",
            r"indéterminée?s?", r"permanente?s?",
        ),
        "frequency": words(
            r"chaque", r"tou(?:te)?s\s+les", r"par\s+(?:jour|semaine|mois|an|année|trimestre|heure)", r"une\s+fois",
            r"\w+\s+fois", r"quotidien\w*", r"hebdomadaire\w*", r"mensuel\w*", r"trimestriel\w*", r"semestriel\w*",
            r"annuel\w*", r"régulièrement", "jamais", "toujours", r"journalière?\w*",
        ),
        "amount": words(r"gratuit\w*", r"rien", r"(?:prix|tarif|coût|montant|loyer|frais)\b[^;:\n]{0,30}:\s*[\d€$£]"),
        "number": words(_COUNTS, r"aucune?", r"dizaines?", r"douzaines?", r"centaines?"),
        "contact": words(r"\d{1,6},?\s+(?:rue|avenue|av\.|boulevard|bd|place|chemin|allée|impasse|quai)\s\w"),
        "person": words(rf"(?i:{_PERSONS})"),
        "reason": words(
            r"parce\s+qu\w?", "car", "puisque?", r"en\s+raison", r"à\s+cause", r"grâce\s+(?:à|aux?)", r"afin",
            r"pour\s+(?:que|éviter|\w+(?:er|ir|re))", r"raisons?", r"dû|due|dus|dues", r"c['’]est\s+pourquoi", r"donc",
            r"suite\s+(?:à|aux?)", r"faute\s+de", r"étant\s+donné", r"causée?s?", r"cause",
        ),
    },
    prices=words(
        r"coût\w*", r"prix", r"tarifs?", r"frais", r"loyer", r"caution", r"amendes?", r"salaires?", r"ch(?:er|ère)s?",
        r"cotisations?", r"combien\s+(?:paie|paye|vaut)\w*",
    ),
    when=beginning(r"quand"),
    definitions=definitions(
        r"qu['’]est-ce\s+qu(?:e|['’])(?:\s+c['’]est\s+qu(?:e|['’]))?|que\s+signifient?|que\s+veut\s+dire"
        r"|qu['’]entend-on\s+par|c['’]est\s+quoi"
        r"|définition\s+(?:de|d['’])|définis(?:sez)?",
        r"une?|la|les?|l['’]|des|du|d['’]", r"signifie|veut\s+dire",
        r"est|sont|était|signifie|désigne|veut\s+dire|se\s+définit|s['’]entend|représente",
        r"pas|plus|seulement|aussi|également|\w+ée?s?",
    ),
    sums=Sums(
        money=words(
            r"dépens\w*", r"coût\w*", r"pay\w*", r"ch(?:er|ère)s?", "prix", "montants?", r"factur\w*", "frais",
            "argent",
        ),
        how_much=words("combien"),
        age=words(r"vieux|vieille|ancien(?:ne)?s?|récente?s?|nouve(?:au|lle)s?"),
        total=words(r"dépensée?s?|payée?s?|coûtée?s?|coûte(?:nt)?|versée?s?|paye(?:nt)?|paie(?:nt)?"),
        row=words(r"seule?|unique|ch(?:er|ère)s?|coûteu(?:x|se)s?"),
        per=words(r"quel(?:le)?s?\s+(?:est\s+l[ea]\s+)?(?P<name>[^\W\d_]{3,30})|(?P<person>qui)"),
    ),
)  # fmt: skip

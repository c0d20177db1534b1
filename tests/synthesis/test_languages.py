"""Questions in French, Spanish, Italian, Dutch and Portuguese: the requested kind of answer, and the answers composed
to them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpus.synthesis.compose import Composed
from corpus.synthesis.extractive.aggregates import compute
from corpus.synthesis.extractive.candidates import candidates, lacks_answer
from corpus.synthesis.extractive.question import parse_question
from corpus.synthesis.extractive.reading import read_source
from corpus.synthesis.sources import number_sources
from tests.synthesis.composed import compose
from tests.values import hit, text_block

PARSED = [
    ("Pourquoi la cotisation augmente-t-elle ?", "fr", "reason", "explanation", None, "cotisation augmente"),
    ("Quelle est la plus grosse dépense ?", "fr", None, "fact", "largest", ""),
    ("Quel prix le jardin a-t-il reçu ?", "fr", "amount", "fact", None, "prix jardin reçu"),
    ("Qu'est-ce que l'assemblée générale ?", "fr", "definition", "fact", None, "assemblée générale"),
    ("Combien coûte l'entrée au concert ?", "fr", "amount", "fact", None, "coûte entrée concert"),
    ("Quand est-ce que la bibliothèque ferme ?", "fr", "date", "fact", None, "bibliothèque ferme"),
    ("Comment puis-je résilier mon abonnement ?", "fr", None, "steps", None, "résilier abonnement"),
    ("Combien avons-nous dépensé au total pour l'électricité ?", "fr", "amount", "fact", "sum", "électricité"),
    ("¿Por qué ha subido la cuota del coro?", "es", "reason", "explanation", None, "subido cuota coro"),
    ("¿Cuál es el gasto más caro?", "es", None, "fact", "largest", ""),
    ("¿Cuánto cuesta la entrada al museo?", "es", "amount", "fact", None, "cuesta entrada museo"),
    ("¿Qué es la asamblea general?", "es", "definition", "fact", None, "asamblea general"),
    ("¿Cada cuánto se limpia el filtro?", "es", "frequency", "fact", None, "limpia filtro"),
    ("¿Quién firma los contratos?", "es", "person", "fact", None, "firma contratos"),
    ("¿Cómo puedo cancelar mi abono?", "es", None, "steps", None, "cancelar abono"),
    ("¿Cuántas reparaciones hubo en total?", "es", "number", "fact", "sum", "reparaciones"),
    ("Perché è aumentata la quota del coro?", "it", "reason", "explanation", None, "aumentata quota coro"),
    ("Qual è la spesa più alta?", "it", None, "fact", "largest", ""),
    ("Quanto costa l'ingresso al museo?", "it", "amount", "fact", None, "costa ingresso museo"),
    ("Cos'è l'assemblea generale?", "it", "definition", "fact", None, "assemblea generale"),
    ("Chi firma i contratti dell'associazione?", "it", "person", "fact", None, "firma contratti associazione"),
    ("Quando scade il contratto di affitto?", "it", "date", "fact", None, "scade contratto affitto"),
    ("Come posso disdire l'abbonamento?", "it", None, "steps", None, "disdire abbonamento"),
    ("Quali sono i documenti necessari per l'iscrizione?", "it", None, "list", None, "necessari iscrizione"),
    ("Waarom gaat de contributie van het koor omhoog?", "nl", "reason", "explanation", None, "contributie koor omhoog"),
    ("Wat is de duurste reparatie?", "nl", "definition", "fact", "largest", "reparatie"),
    ("Hoeveel kost de toegang tot het museum?", "nl", "amount", "fact", None, "kost toegang museum"),
    ("Wat is een ledenvergadering?", "nl", "definition", "fact", None, "ledenvergadering"),
    ("Wie is de voorzitter van de vereniging?", "nl", "person", "fact", None, "voorzitter vereniging"),
    ("Hoe vaak moet het filter worden schoongemaakt?", "nl", "frequency", "fact", None, "filter schoongemaakt"),
    ("Hoe kan ik mijn abonnement opzeggen?", "nl", None, "steps", None, "abonnement opzeggen"),
    ("Hoe lang duurt de opzegtermijn van het contract?", "nl", "duration", "fact", None, "duurt opzegtermijn contract"),
    ("Por que a quota do coro aumentou?", "pt", "reason", "explanation", None, "quota coro aumentou"),
    ("Qual foi a maior despesa?", "pt", None, "fact", "largest", ""),
    ("Quanto custa a entrada no museu?", "pt", "amount", "fact", None, "custa entrada museu"),
    ("O que é a assembleia geral?", "pt", "definition", "fact", None, "assembleia geral"),
    ("Quem assina os contratos da associação?", "pt", "person", "fact", None, "assina contratos associação"),
    ("Quando termina o contrato de aluguel?", "pt", "date", "fact", None, "termina contrato aluguel"),
    ("Como posso cancelar a minha assinatura?", "pt", None, "steps", None, "cancelar assinatura"),
    ("Quantos meses dura o prazo de aviso?", "pt", "duration", "fact", "count", "meses dura prazo aviso"),
    ("À quelle heure ouvre la piscine municipale ?", "fr", "date", "fact", None, "ouvre piscine municipale"),
    ("À quelle fréquence faut-il changer l'huile ?", "fr", "frequency", "fact", None, "changer huile"),
    ("Qui a rédigé le compte rendu ?", "fr", "person", "fact", None, "rédigé compte rendu"),
    ("Y a-t-il des animaux qui ne sont pas admis ?", "fr", None, "fact", None, "animaux admis"),
    ("Quelle différence entre tarif réduit et plein ?", "fr", "amount", "comparison", None, "tarif réduit plein"),
    ("Résume le rapport annuel de l'association.", "fr", None, "overview", None, "rapport annuel association"),
    ("Combien d'élèves sont inscrits cette année ?", "fr", "number", "fact", "count", "élèves inscrits année"),
    ("¿Cuándo vence el contrato de alquiler?", "es", "date", "fact", None, "vence contrato alquiler"),
    ("¿Cuánto tiempo dura la garantía?", "es", "duration", "fact", None, "dura garantía"),
    ("¿Cuál es el teléfono de la secretaría?", "es", "contact", "fact", None, "teléfono secretaría"),
    ("¿Qué documentos necesito para inscribirme?", "es", None, "list", None, "inscribirme"),
    ("Compara las bombas A y B.", "es", None, "comparison", None, "bombas b"),
    ("¿Cómo funciona la válvula de seguridad?", "es", None, "explanation", None, "válvula seguridad"),
    ("¿Cuánto gastamos en total en reparaciones en 2024?", "es", "amount", "fact", "sum", "reparaciones 2024"),
    ("Quante persone lavorano nell'ufficio?", "it", "number", "fact", "count", "persone lavorano ufficio"),
    ("Ogni quanto va pulito il filtro?", "it", "frequency", "fact", None, "va pulito filtro"),
    ("A chi devo inviare la domanda?", "it", "person", "fact", None, "inviare domanda"),
    ("Quali animali non sono ammessi?", "it", None, "list", None, "animali ammessi"),
    ("Come funziona la valvola di sicurezza?", "it", None, "explanation", None, "valvola sicurezza"),
    ("Quanto abbiamo speso in totale per la luce nel 2023?", "it", "amount", "fact", "sum", "luce 2023"),
    ("Che differenza c'è tra ordinario e sostenitore?", "it", None, "comparison", None, "ordinario sostenitore"),
    ("Wanneer loopt het huurcontract af?", "nl", "date", "fact", None, "loopt huurcontract af"),
    ("Hoeveel leden heeft de vereniging?", "nl", "number", "fact", "count", "leden vereniging"),
    ("Hoeveel hebben we in totaal aan stroom uitgegeven?", "nl", "amount", "fact", "sum", "stroom"),
    ("Welke dieren zijn niet toegestaan?", "nl", None, "list", None, "dieren toegestaan"),
    ("Wat is het verschil tussen een gewoon lid en een erelid?", "nl", None, "comparison", None, "gewoon lid erelid"),
    ("Hoe werkt de veiligheidsklep?", "nl", None, "explanation", None, "veiligheidsklep"),
    ("Wat is het telefoonnummer van de secretaris?", "nl", "contact", "fact", None, "telefoonnummer secretaris"),
    ("A que horas é que abre a piscina municipal?", "pt", "date", "fact", None, "abre piscina municipal"),
    ("Com que frequência se deve trocar o óleo?", "pt", "frequency", "fact", None, "trocar óleo"),
    ("Quanto gastamos no total com eletricidade?", "pt", "amount", "fact", "sum", "eletricidade"),
    ("Que diferença há entre o plano básico e o completo?", "pt", None, "comparison", None, "plano básico completo"),
    ("Que animais não são permitidos?", "pt", None, "list", None, "animais permitidos"),
    ("Qual é o telefone da secretaria?", "pt", "contact", "fact", None, "telefone secretaria"),
    ("Como funciona a válvula de segurança?", "pt", None, "explanation", None, "válvula segurança"),
]  # fmt: skip


@pytest.mark.parametrize(("query", "language", "kind", "shape", "aggregate", "words"), PARSED)
def test_the_requested_kind_of_answer_is_recognised(
    query: str, language: str, kind: str | None, shape: str, aggregate: str | None, words: str
) -> None:
    question = parse_question(query)
    parsed = (question.language, question.wanted and question.wanted.kind, question.shape, question.aggregate)
    assert parsed == (language, kind, shape, aggregate)
    assert not words or set(question.words) == set(words.split())


TEXTS = {
    "fr": (
        "Les chiens sont admis au jardin. Les chats ne sont pas admis pendant les répétitions. "
        "La cotisation passe à 110 euros parce que la salle coûte plus cher. La chorale répète chaque mardi. "
        "L'assemblée générale est la réunion de tous les membres. Le préavis est de trois mois."
    ),
    "es": (
        "Los perros entran en el jardín. Los gatos no están permitidos durante los ensayos. "
        "La cuota sube a 110 euros porque la sala es más cara. El coro ensaya todos los martes. "
        "La asamblea general es la reunión de todos los socios. El plazo de aviso es de tres meses."
    ),
    "it": (
        "I cani entrano nel giardino. I gatti non sono ammessi durante le prove. "
        "La quota sale a 110 euro perché la sala è più cara. Il coro prova ogni martedì. "
        "L'assemblea generale è la riunione di tutti i soci. Il preavviso è di tre mesi."
    ),
    "nl": (
        "Honden mogen in de tuin. Katten zijn tijdens de repetities niet toegestaan. "
        "De contributie stijgt naar 110 euro omdat de zaal duurder is. Het koor repeteert elke dinsdag. "
        "De ledenvergadering is de bijeenkomst van alle leden. De opzegtermijn bedraagt drie maanden."
    ),
    "pt": (
        "Os cães entram no jardim. Os gatos não são permitidos durante os ensaios. "
        "A quota sobe para 110 euros porque a sala é mais cara. O coro ensaia todas as terças-feiras. "
        "A assembleia geral é a reunião de todos os membros. O prazo de aviso é de três meses."
    ),
}


def composed(query: str, language: str) -> Composed:
    return compose(query, number_sources([hit(replace(text_block(TEXTS[language]), language=language), 1.0)]))


@pytest.mark.parametrize(
    ("query", "language", "quoted"),
    [
        ("Pourquoi la cotisation augmente-t-elle ?", "fr", "parce que la salle"),
        ("Quels animaux ne sont pas admis ?", "fr", "Les chats ne sont pas"),
        ("Qu'est-ce que l'assemblée générale ?", "fr", "la réunion de tous les membres"),
        ("¿Por qué sube la cuota?", "es", "porque la sala"),
        ("¿Cuál es el plazo de aviso?", "es", "tres meses"),
        ("Perché aumenta la quota?", "it", "perché la sala"),
        ("Quando prova il coro?", "it", "ogni martedì"),
        ("Waarom stijgt de contributie?", "nl", "omdat de zaal"),
        ("Hoe lang is de opzegtermijn?", "nl", "drie maanden"),
        ("Por que a quota sobe?", "pt", "porque a sala"),
        ("O que é a assembleia geral?", "pt", "a reunião de todos os membros"),
    ],
)
def test_the_sentence_that_answers_is_quoted(query: str, language: str, quoted: str) -> None:
    assert quoted in composed(query, language).answer


@pytest.mark.parametrize(
    ("query", "text", "has"),
    [
        ("Quand ferme la piscine ?", "La piscine ferme le premier dimanche d'août.", True),
        ("Quand ferme la piscine ?", "La piscine est au bord de la rivière.", False),
        ("¿Cuándo cierra la piscina?", "La piscina cierra los lunes.", True),
        ("¿Cuándo cierra la piscina?", "La piscina está junto al río.", False),
        ("Quando chiude la piscina?", "La piscina chiude a fine settembre.", True),
        ("Quando chiude la piscina?", "La piscina si trova sul fiume.", False),
        ("Wanneer sluit het zwembad?", "Het zwembad sluit eind augustus.", True),
        ("Wanneer sluit het zwembad?", "Het zwembad ligt aan de rivier.", False),
        ("Quando é que fecha a piscina?", "A piscina fecha às segundas-feiras.", True),
        ("Quando é que fecha a piscina?", "A piscina fica junto ao rio.", False),
        ("Combien coûte l'entrée ?", "L'entrée est gratuite.", True),
        ("Combien coûte l'entrée ?", "L'entrée se trouve rue Haute.", False),
        ("Hoe vaak repeteert het koor?", "Het koor repeteert wekelijks.", True),
        ("Con quale frequenza si pulisce il filtro?", "Il filtro è pulito per sicurezza.", False),
    ],
)
def test_a_text_contains_the_requested_kind_of_answer(query: str, text: str, has: bool) -> None:
    question = parse_question(query)
    assert question.wanted is not None
    assert question.wanted.is_in(text) is has


def test_a_date_counts_as_missing_only_in_a_language_with_known_date_formats() -> None:
    assert lacks_answer(parse_question("Quand ferme la piscine ?"), 0.0, is_row=False)


TABLE = """| {} | {} | {} |
| --- | --- | --- |
| 2024-01-10 | {} | 120,50 |
| 2024-02-14 | {} | 310,00 |
| 2024-03-02 | {} | 98,40 |
| 2024-09-05 | {} | 101,10 |"""


@pytest.mark.parametrize(
    ("query", "cells", "value"),
    [
        ("Combien avons-nous dépensé au total pour l'électricité ?", "Date Poste Montant électricité orgue", "320.00"),
        ("Combien a coûté l'électricité de janvier à mars 2024 ?", "Date Poste Montant électricité orgue", "218.90"),
        ("Quelle est la dépense la plus chère de l'année 2024 ?", "Date Poste Montant électricité orgue", "310.00"),
        ("¿Cuánto gastamos en luz desde marzo de 2024?", "Fecha Concepto Importe luz órgano", "199.50"),
        ("¿Cuánto gastamos en luz en el primer trimestre de 2024?", "Fecha Concepto Importe luz órgano", "218.90"),
        ("Quanto abbiamo speso per la luce fino a marzo 2024?", "Data Voce Importo luce organo", "218.90"),
        ("Qual è stato in media l'importo per la luce?", "Data Voce Importo luce organo", "106.67"),
        ("Hoeveel kostte de stroom van januari tot en met maart 2024?", "Datum Post Bedrag stroom orgel", "218.90"),
        ("Hoeveel hebben we in totaal aan stroom uitgegeven?", "Datum Post Bedrag stroom orgel", "320.00"),
        ("Quanto gastamos com luz entre janeiro e março de 2024?", "Data Item Valor luz órgão", "218.90"),
        ("Quanto gastamos no total com luz?", "Data Item Valor luz órgão", "320.00"),
    ],
)
def test_a_value_is_computed_from_a_table(query: str, cells: str, value: str) -> None:
    date, entry, amount, light, organ = cells.split()
    table = TABLE.format(date, entry, amount, light, organ, light, light)
    readings = [read_source(source) for source in number_sources([hit(text_block(table), 1.0)])]
    question = parse_question(query)
    made = compute(readings, candidates(readings, question), question)
    assert made is not None
    assert made.written.replace(",", ".") == value


@pytest.mark.parametrize(
    ("query", "language"),
    [
        ("van Gogh Museum", None),
        ("Leonardo da Vinci", None),
        ("comment policy for car", "en"),
        ("Is vacuum in use?", "en"),
        ("Who painted the Mona Lisa in Rio de la Plata?", "en"),
        ("War was in der Waage?", "de"),
    ],
)
def test_a_name_does_not_change_the_language_of_a_question(query: str, language: str | None) -> None:
    assert parse_question(query).language == language


@pytest.mark.parametrize(
    ("query", "is_compared"),
    [
        ("Avons-nous dépensé plus chez Leduc ou chez Pleyel ?", True),
        ("Quelle est la plus grosse dépense pour l'eau ou le gaz ?", False),
        ("¿Gastamos más en Endesa o en Hazen?", True),
        ("Qual è la spesa più alta per acqua o gas?", False),
    ],
)
def test_a_superlative_compares_no_two_sums(query: str, is_compared: bool) -> None:
    question = parse_question(query)
    assert question.aggregate == "largest"
    assert bool(question.vocabulary.more_or_less.search(query)) is is_compared

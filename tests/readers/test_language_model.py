"""The packaged language model gives the same results as that of py3langid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from corpus.readers.languages import UNIT, LanguageModel, load, read

ROOT = Path(__file__).parents[2]
SENTENCES = {
    "ar": "تنقل المضخة الماء عبر المبرد ثم تعيده إلى الخزان مهما كانت السرعة.",
    "cs": "Čerpadlo vede vodu chladičem a zpět do nádrže, a to při každých otáčkách.",
    "da": "Pumpen fører vandet gennem køleren og tilbage i beholderen ved enhver hastighed.",
    "de": "Die Pumpe fördert das Wasser durch den Kühler und zurück in den Behälter, und das bei jeder Drehzahl.",
    "el": "Η αντλία μεταφέρει το νερό μέσα από τον ψύκτη και πίσω στη δεξαμενή σε κάθε ταχύτητα.",
    "en": "The pump moves the water through the cooler and back into the tank, and does so at any speed.",
    "es": "La bomba hace pasar el agua por el refrigerador y la devuelve al depósito a cualquier velocidad.",
    "fi": "Pumppu siirtää veden jäähdyttimen läpi ja takaisin säiliöön kaikilla nopeuksilla.",
    "fr": "La pompe fait passer l'eau par le refroidisseur et la renvoie dans le réservoir à toute vitesse.",
    "he": "המשאבה מעבירה את המים דרך המקרר וחזרה אל המיכל בכל מהירות.",
    "hi": "पंप पानी को कूलर से होकर वापस टंकी में हर गति पर पहुँचाता है।",
    "hu": "A szivattyú a vizet a hűtőn keresztül vissza a tartályba szállítja minden fordulatszámon.",
    "it": "La pompa fa passare l'acqua attraverso il refrigeratore e la riporta nel serbatoio a ogni velocità.",
    "ja": "ポンプは水を冷却器に通し、どの回転数でもタンクに戻します。",
    "ko": "펌프는 물을 냉각기를 통해 다시 탱크로 어떤 속도에서든 보냅니다.",
    "nl": "De pomp voert het water door de koeler en terug naar het vat, en dat bij elk toerental.",
    "pl": "Pompa tłoczy wodę przez chłodnicę i z powrotem do zbiornika przy każdej prędkości.",
    "pt": "A bomba leva a água pelo refrigerador e de volta ao reservatório a qualquer velocidade.",
    "ru": "Насос подаёт воду через охладитель и обратно в бак при любой скорости вращения.",
    "sv": "Pumpen för vattnet genom kylaren och tillbaka till behållaren vid varje varvtal.",
    "th": "ปั๊มส่งน้ำผ่านเครื่องทำความเย็นและกลับเข้าสู่ถังในทุกความเร็ว",
    "tr": "Pompa suyu soğutucudan geçirip her hızda yeniden depoya gönderir.",
    "uk": "Насос подає воду через охолоджувач і назад у бак за будь-якої швидкості обертання.",
    "vi": "Máy bơm đưa nước qua bộ làm mát rồi trở lại bể chứa ở mọi tốc độ.",
    "zh": "水泵使水流经冷却器，并在任何转速下送回水箱。",
}
MORE = "bg et fa hr id lt lv no ro sk sl sr"


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    return load()


@pytest.fixture(scope="module")
def source() -> Any:
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(list(SENTENCES) + MORE.split())
    return identifier


@pytest.mark.parametrize("language", SENTENCES)
def test_a_sentence_is_in_its_language(model: LanguageModel, language: str) -> None:
    assert model.language_of(SENTENCES[language]) == language


def test_the_file_contains_the_model_of_py3langid(source: Any) -> None:
    languages, arrays = read()
    numbers = {name: np.asarray(array) for name, array in arrays.items()}
    rows = numbers["states"][numbers["block_of"][:, None] + np.arange(16)].ravel()
    assert languages == source.nb_classes
    assert np.array_equal(numbers["prior"], source.nb_pc)
    assert np.array_equal(numbers["ngram_of"], source.tk_output)
    assert np.array_equal(numbers["row_of"] // 16, source.tk_row)
    assert np.array_equal(rows, source.tk_nextmove)
    assert np.array_equal(numbers["weights"].reshape(len(languages), -1).T * -UNIT, source.nb_ptc)


def test_texts_of_any_length_get_the_language_from_py3langid(model: LanguageModel, source: Any) -> None:
    pages = [(ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "docs/performance.md")]
    text = " ".join([*SENTENCES.values(), *pages])
    texts = [text[at : at + size] for size in (5, 20, 60, 200, 2000) for at in range(0, len(text) - size, size + 61)]
    known = [one for one in texts if model.language_of(one)]
    assert len(known) > 1000
    assert [one for one in known if model.language_of(one) != source.classify(one)[0]] == []


@pytest.mark.parametrize("text", ["", "\U0001f600", "42"])
def test_a_text_without_any_known_letters_has_no_language(model: LanguageModel, text: str) -> None:
    assert model.language_of(text) is None


def test_capitals_do_not_change_the_language(model: LanguageModel) -> None:
    assert model.language_of(SENTENCES["de"].upper()) == "de"

"""A claim that nearly equals its source but has another meaning is not found, and both words are reported. A claim that
only has another form stays found."""

from __future__ import annotations

import pytest

from corpus.citing.protocol import Claim
from corpus.verification.protocol import CheckedClaim, SourceText
from corpus.verification.verify import verify

EN = (
    "Performance reviews are conducted annually by the manager. Two thirds of the members voted in May, before the "
    "board met. The tenant must not paint the walls, but may hang pictures. The pressure decreases with the "
    "temperature when the outlet valve is open. Ghent supplies more cast-iron housings than Lille. The inverter is "
    "not switched off at night. At least four samples are taken daily from the upper tank. Salaries are paid monthly."
)
DE = (
    "Die Wartung der Pumpe erfolgt jährlich durch den Hersteller. Ein Drittel der Mitglieder stimmte vor der Sitzung "
    "ab. Der Mieter darf die Wohnung streichen, muss aber nicht renovieren. Hunde sind im Hof erlaubt, Katzen nicht. "
    "Das Ventil oberhalb des Kessels ist geöffnet, wenn der Druck steigt. Herr Meier vertritt Frau Schulz während des "
    "Urlaubs. Der Zähler wird wöchentlich abgelesen. Kein Gerät wird ohne Prüfung ausgeliefert."
)
JA = "軸受は毎年交換します。ポンプは六時間ごとに点検してください。弁は使用できる。温度は八十度以下に保ってください。"
ZH = "公司于二〇一九年在上海成立，主要生产水泵和阀门。轴承每年更换一次。码头星期一开放。出口压力高于入口压力。"


def check(text: str, source: str) -> CheckedClaim:
    claim = Claim(text, 0, len(text), "sentence", (1,))
    return verify([claim], [SourceText(1, source)])[0]


@pytest.mark.parametrize(
    ("claim", "source", "named"),
    [
        ("Performance reviews are conducted monthly by the manager.", EN, "monthly (source: annually)"),
        ("Performance audits are conducted annually by the manager.", EN, "audits (source: reviews)"),
        ("Performance reviews are not conducted annually by the manager.", EN, "not"),
        ("One third of the members voted in May.", EN, "One (source: Two)"),
        ("Two thirds of the members voted in May, after the board met.", EN, "after (source: before)"),
        ("The tenant must paint the walls.", EN, "source: not"),
        ("The tenant should not paint the walls.", EN, "should (source: must)"),
        ("The tenant may not paint the walls, but may hang pictures.", EN, "may (source: must)"),
        ("The pressure increases with the temperature.", EN, "increases (source: decreases)"),
        ("The pressure decreases with the temperature when the outlet valve is closed.", EN, "closed (source: open)"),
        ("The pressure decreases with the temperature when the inlet valve is open.", EN, "inlet (source: outlet)"),
        ("Ghent supplies fewer cast-iron housings than Lille.", EN, "fewer (source: more)"),
        ("The inverter is switched off at night.", EN, "source: not"),
        ("The inverter is not switched off at noon.", EN, "noon (source: night)"),
        ("At least four samples are taken weekly from the upper tank.", EN, "weekly (source: daily)"),
        ("At least four samples are taken daily from the lower tank.", EN, "lower (source: upper)"),
        ("Die Wartung der Pumpe erfolgt monatlich durch den Hersteller.", DE, "monatlich (source: jährlich)"),
        ("Zwei Drittel der Mitglieder stimmte vor der Sitzung ab.", DE, "Zwei"),
        ("Ein Drittel der Mitglieder stimmte nach der Sitzung ab.", DE, "nach (source: vor)"),
        ("Der Mieter muss die Wohnung streichen.", DE, "muss (source: darf)"),
        ("Der Mieter darf die Wohnung nicht streichen.", DE, "nicht"),
        ("Hunde sind im Hof nicht erlaubt.", DE, "nicht"),
        ("Das Ventil unterhalb des Kessels ist geöffnet.", DE, "unterhalb (source: oberhalb)"),
        ("Das Ventil oberhalb des Kessels ist geschlossen, wenn er steigt.", DE, "geschlossen (source: geöffnet)"),
        ("Das Ventil oberhalb des Kessels ist geöffnet, wenn der Druck sinkt.", DE, "sinkt (source: steigt)"),
        ("Der Zähler wird täglich abgelesen.", DE, "täglich (source: wöchentlich)"),
        ("Ein Gerät wird ohne Prüfung ausgeliefert.", DE, "Ein (source: Kein)"),
        ("軸受は毎日交換します。", JA, "毎日 (source: 毎年)"),
        ("弁は使用できない。", JA, "ない (source: る温)"),
        ("温度は八十度以上に保ってください。", JA, "以上 (source: 以下)"),
        ("ポンプは六分間ごとに点検してください。", JA, "六分 (source: 六時)"),
        ("轴承每天更换一次。", ZH, "每天 (source: 每年)"),
        ("码头星期一不开放。", ZH, "一不 (source: 一)"),
        ("出口压力低于入口压力。", ZH, "力低 (source: 力高)"),
        ("公司于二〇一九年在北京成立，主要生产水泵和阀门。", ZH, "在北京 (source: 在上海)"),
    ],
)  # fmt: skip
def test_a_changed_word_is_reported_with_that_of_the_source(claim: str, source: str, named: str) -> None:
    checked = check(claim, source)
    assert checked.verdict in ("partly", "value_mismatch")
    assert named in checked.missing


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Lille supplies more cast-iron housings than Ghent.", EN),
        ("Schulz vertritt Meier während des Urlaubs.", "Meier vertritt Schulz während des Urlaubs."),
        ("Anna reports to Peter.", "Since May, Peter reports to Anna."),
        ("入口压力高于出口压力。", ZH),
    ],
)
def test_exchanged_names_are_not_found(claim: str, source: str) -> None:
    checked = check(claim, source)
    assert checked.verdict == "partly"
    assert len(checked.missing) == 2


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Performance reviews are conducted annually by the manager.", EN),
        ("performance reviews are conducted annually", EN),
        ("PERFORMANCE REVIEWS ARE CONDUCTED ANNUALLY BY THE MANAGER", EN),
        ("Ghent supplies more cast iron housings than Lille.", EN),
        ("Ghent supplies more castiron housings than Lille.", EN),
        ("… but may hang pictures.", EN),
        ("The tenant must not paint the walls and salaries are paid monthly.", EN),
        ("Salaries are paid monthly, and the inverter is not switched off at night.", EN),
        ("“Two thirds of the members voted in May”", EN),
        ("The inverter isn't switched off at night.", EN),
        ("The inverter isn’t switched off at night.", "The inverter isn't switched off at night."),
        ("The filter is cleaned.", "The ﬁlter\nis clean-\ned."),
        ("It moves sixty items an hour.", "It moves sixty\nitems an hour."),
        ("The colour of the organisation is blue.", "The color of the organization is blue."),
        ("Der Mieter darf die Wohnung streichen.", DE),
        ("Hunde sind im Hof erlaubt, und der Zähler wird wöchentlich abgelesen.", DE),
        ("Der Zaehler ist neu.", "Der Zaehler ist neu, das Gerät alt."),
        ("DIE STRASSE IST GESPERRT.", "Die Straße ist gesperrt."),
        ("軸受は毎年交換します。", JA),
        ("弁は使用できる", JA),
        ("公司于二〇一九年在上海成立，主要生产水泵。", ZH),
        ("出口压力高于入口压力", ZH),
        ("轴承每年更换一次；码头星期一开放。", ZH),
    ],
)
def test_a_claim_in_another_form_than_its_source_stays_found(claim: str, source: str) -> None:
    checked = check(claim, source)
    assert (checked.verdict, checked.missing) == ("found", ())


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The housing, cast in Ghent, is sold to Lille.", "The housing was cast in Ghent and it is sold to Lille."),
        ("The pump turns slowly.", "It turns slowly."),
        ("The manager conducts performance reviews annually.", EN),
        ("In May, two thirds of the members voted.", EN),
        ("However, the inverter is not switched off at night.", EN),
        ("It is not only a pump but a motor.", "It is a pump and a motor."),
        ("See valve no. 5 for details.", "See valve 5 for details."),
        ("Apples and pears are sold here.", "Pears and apples are sold here."),
    ],
)  # fmt: skip
def test_synonyms_lose_nothing(claim: str, source: str) -> None:
    assert check(claim, source).verdict == "found"

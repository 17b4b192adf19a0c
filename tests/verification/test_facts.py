"""Claims beside sentences of evidence; what is right was decided by hand."""

import pytest

from brit.types import Claim, Finding
from brit.verification.facts import check_fact

EVIDENCE = (
    Finding("passage", "The Nimbus 40 is a dehumidifier. It weighs 12.5 kg and holds 3 l of water. "
            "The Nimbus 60 weighs 17 kg.", subject="nimbus.pdf"),
    Finding("passage", "Tarnwick Mill was bought by Oda Brandt in 1987. "
            "It has two wheels of larch."),
    Finding("triplet", "CX57C excavator has operating weight of 5,700 kg."),
    Finding("caption", "The open valve of the Zorvex pump"),
    Finding("passage", "The pump must not be opened while the red lamp is lit."),
    Finding("passage", "Die Pumpe fördert 1.500 l Wasser in der Stunde."),
)  # fmt: skip


@pytest.mark.parametrize(
    ("claim", "support"),
    [
        ("The Nimbus 40 weighs 12.5 kg.", "supported"),
        ("The Nimbus 40 weighs 12,500 g.", "supported"),
        ("The Nimbus 40 weighs 15 kg.", "contradicted"),
        # 17 kg stands there, of another machine.
        ("The Nimbus 40 weighs 17 kg.", "contradicted"),
        ("The Nimbus 60 weighs 17 kg.", "supported"),
        ("The Nimbus 80 weighs 17 kg.", "unverifiable"),
        ("The Nimbus 40 holds three litres of water.", "supported"),
        ("The Nimbus 40 holds three gallons of water.", "contradicted"),
        ("Tarnwick Mill was bought by Oda Brandt in 1987.", "supported"),
        ("Tarnwick Mill was bought in 1978 by Oda Brandt.", "contradicted"),
        ("Tarnwick Mill was bought by Max Keller in 1987.", "contradicted"),
        ("Tarnwick Mill was not bought by Oda Brandt in 1987.", "contradicted"),
        ("Tarnwick Mill has 2 wheels of larch.", "supported"),
        ("Tarnwick Mill has four wheels of larch.", "contradicted"),
        ("Tarnwick Mill burned down in 1990.", "unverifiable"),
        ("The CX57C has an operating weight of 5.7 t.", "supported"),
        ("The CX75C has an operating weight of 5.7 t.", "contradicted"),
        ("The picture shows the open valve of the Zorvex pump.", "supported"),
        ("The pump must be opened while the red lamp is lit.", "contradicted"),
        ("The pump must not be opened while the red lamp is lit.", "supported"),
        ("Die Pumpe fördert 1500 Liter Wasser in der Stunde.", "supported"),
        ("Die Pumpe fördert 1800 Liter Wasser in der Stunde.", "contradicted"),
        ("Quokkas live on Rottnest Island.", "unverifiable"),
        ("It weighs 99 kg.", "unverifiable"),
    ],
)
def test_support(claim, support):
    check = check_fact(Claim(claim), EVIDENCE)
    assert (check.support, check.reason) == (support, check.reason)
    assert bool(check.evidence) or support == "unverifiable"


def test_a_verdict_names_the_evidence_it_rests_on():
    check = check_fact(Claim("Tarnwick Mill has four wheels of larch."), EVIDENCE)
    assert check.evidence == (1,)
    assert "two wheels" in check.reason


def test_a_quotation_is_never_contradicted():
    text = "Weight: short arm 12,270 lb, long arm 12,320 lb."
    around = Finding("passage", f"OPERATING WEIGHT\n{text} Not with coupler, no bucket.")
    assert check_fact(Claim(text), (*EVIDENCE, around)).evidence == (len(EVIDENCE),)


@pytest.mark.parametrize(
    ("claim", "support"),
    [
        ("The ZX9 has an operating weight of 12,270 lb with the short arm.", "supported"),
        ("The ZX9 has an operating weight of 15,270 lb with the short arm.", "contradicted"),
        ("The ZX8 has an operating weight of 12,270 lb with the short arm.", "unverifiable"),
    ],
)
def test_a_table_is_about_what_its_document_is_about(claim, support):
    line = "OPERATING WEIGHT Short arm 12,270 lb (5 565 kg) Long arm 12,320 lb (5 590 kg)"
    sheet = Finding("passage", line, subject="zx9_datasheet.pdf")
    assert check_fact(Claim(claim), (sheet,)).support == support


def test_without_evidence_nothing_is_said():
    assert check_fact(Claim("The Nimbus 40 weighs 12 kg."), ()).support == "unverifiable"

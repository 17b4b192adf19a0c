"""Numbers with units; conversions are those of NIST SP 811."""

import pytest

from brit.verification.quantities import quantities


def one(text):
    (found,) = quantities(text)
    return found


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("12 kg", "12,000 g"),
        ("12kg", "twelve kilograms"),
        ("1.5 m", "1,5 m"),
        ("1.234,5 mm", "1,234.5 mm"),
        ("100 lb", "45.36 kg"),
        ("12 inches", "30.48 cm"),
        ("230 V", "230 volts"),
        ("$3 million", "3,000,000 dollars"),
        ("50 %", "50 percent"),
        ("20 km/h", "12.43 mph"),
        ("2 hours", "120 min"),
        ("in 1987", "of 1987"),
        ("12 valves", "12 bronze valves"),
    ],
)
def test_the_same(left, right):
    assert one(left).equals(one(right))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("12 kg", "12 g"),
        ("12 kg", "12 km"),
        ("12 kg", "12.5 kg"),
        ("5 mW", "5 MW"),
        ("in 1987", "1987 kg"),
        ("20 °C", "20 °F"),
        ("two wheels", "three wheels"),
    ],
)
def test_not_the_same(left, right):
    assert not one(left).equals(one(right))


def test_numbers_in_codes_and_names_are_no_measures():
    found = quantities("The CX57C and the Nimbus 40 weigh 5.7 t.")
    assert [(each.of_name, each.values) for each in found] == [(True, (40.0,)), (False, (5700.0,))]


@pytest.mark.parametrize("text", ["", "12.5.2021", "1.2.3.4", "9" * 400, "-", "٣ كغ", "1,,2", "²"])
def test_odd_digits_are_read_or_left(text):
    quantities(text)

"""National ids with their check digits, calculated here from the published rules and not by the scan's own library."""

from __future__ import annotations

import string

import numpy as np


def _digits(generator: np.random.Generator, n: int) -> str:
    return "".join(map(str, generator.integers(0, 10, n)))


def _weighted(text: str, weights: tuple[int, ...]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(text, weights, strict=True))


def luhn_digit(text: str) -> str:
    total = 0
    for place, digit in enumerate(reversed(text)):
        number = int(digit) * (2 if place % 2 == 0 else 1)
        total += number - 9 if number > 9 else number
    return str(-total % 10)


def amka(generator: np.random.Generator, born: np.datetime64) -> str:
    day = str(born)
    body = day[8:10] + day[5:7] + day[2:4] + _digits(generator, 4)
    return body + luhn_digit(body)


def egn(generator: np.random.Generator, born: np.datetime64) -> str:
    day = str(born)
    month = int(day[5:7]) + (40 if int(day[:4]) >= 2000 else 0)
    body = f"{day[2:4]}{month:02d}{day[8:10]}{_digits(generator, 3)}"
    return body + str(_weighted(body, (2, 4, 8, 5, 10, 9, 7, 3, 6)) % 11 % 10)


def pesel(generator: np.random.Generator, born: np.datetime64) -> str:
    day = str(born)
    month = int(day[5:7]) + (20 if int(day[:4]) >= 2000 else 0)
    body = f"{day[2:4]}{month:02d}{day[8:10]}{_digits(generator, 4)}"
    return body + str(-_weighted(body, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)) % 10)


def dni(generator: np.random.Generator, born: np.datetime64) -> str:
    body = _digits(generator, 8)
    return body + "TRWAGMYFPDXBNJZSQVHLCKE"[int(body) % 23]


def nhs(generator: np.random.Generator, born: np.datetime64) -> str:
    while True:
        body = "4" + _digits(generator, 8)
        check = (11 - _weighted(body, (10, 9, 8, 7, 6, 5, 4, 3, 2)) % 11) % 11
        if check < 10:
            return f"{body[:3]} {body[3:6]} {body[6:]}{check}"


def idnr(generator: np.random.Generator, born: np.datetime64) -> str:
    """Ten digits of which one stands twice and one is absent, the first is not 0; check digit by ISO 7064 MOD 11,10."""
    while True:
        digits = list(generator.permutation(10)[:9])
        digits.insert(int(generator.integers(1, 10)), digits[0])
        if digits[0] != 0 and digits[1] != digits[0]:
            break
    return _with_iso_7064("".join(map(str, digits)))


def nir(generator: np.random.Generator, born: np.datetime64) -> str:
    day = str(born)
    place = f"{generator.integers(1, 96):02d}{generator.integers(1, 900):03d}{generator.integers(1, 999):03d}"
    body = f"{generator.integers(1, 3)}{day[2:4]}{day[5:7]}{place}"
    return f"{body}{97 - int(body) % 97:02d}"


def bsn(generator: np.random.Generator, born: np.datetime64) -> str:
    while True:
        body = "1" + _digits(generator, 7)
        check = _weighted(body, (9, 8, 7, 6, 5, 4, 3, 2)) % 11
        if check < 10:
            return body + str(check)


def cnp(generator: np.random.Generator, born: np.datetime64) -> str:
    day = str(born)
    sex = generator.integers(1, 3) + (4 if int(day[:4]) >= 2000 else 0)
    body = f"{sex}{day[2:4]}{day[5:7]}{day[8:10]}{generator.integers(1, 47):02d}{generator.integers(1, 999):03d}"
    check = _weighted(body, (2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9)) % 11
    return body + str(1 if check == 10 else check)


def tckimlik(generator: np.random.Generator, born: np.datetime64) -> str:
    body = str(generator.integers(1, 10)) + _digits(generator, 8)
    odd, even = sum(map(int, body[0::2])), sum(map(int, body[1::2]))
    tenth = (7 * odd - even) % 10
    return f"{body}{tenth}{(sum(map(int, body)) + tenth) % 10}"


def rc(generator: np.random.Generator, born: np.datetime64) -> str:
    """Of people born since 1954: ten digits that 11 divides, women's months 50 higher; and a stroke."""
    day = str(max(born, np.datetime64("1954-01-01")))
    body = f"{day[2:4]}{int(day[5:7]) + 50 * int(generator.integers(0, 2)):02d}{day[8:10]}"
    while True:
        number = body + _digits(generator, 4)
        if int(number) % 11 == 0:
            return f"{number[:6]}/{number[6:]}"


def personnummer(generator: np.random.Generator, born: np.datetime64) -> str:
    day = str(born)
    body = day[2:4] + day[5:7] + day[8:10] + _digits(generator, 3)
    return f"{body[:6]}-{body[6:]}{luhn_digit(body)}"


def oib(generator: np.random.Generator, born: np.datetime64) -> str:
    return _with_iso_7064(_digits(generator, 10))


def cpf(generator: np.random.Generator, born: np.datetime64) -> str:
    body = _digits(generator, 9)
    for length in (10, 11):
        total = _weighted(body, tuple(range(length, 1, -1)))
        body += str((total * 10 % 11) % 10)
    return f"{body[:3]}.{body[3:6]}.{body[6:9]}-{body[9:]}"


def _with_iso_7064(digits: str) -> str:
    """The digits with their check digit by ISO 7064, MOD 11,10."""
    product = 10
    for digit in digits:
        total = (int(digit) + product) % 10 or 10
        product = 2 * total % 11
    return digits + str((11 - product) % 10)


def iban(generator: np.random.Generator) -> str:
    body = _digits(generator, 18)
    check = 98 - int(body + "1314" + "00") % 97  # DE
    return f"DE{check:02d}{body}"


def card(generator: np.random.Generator) -> str:
    body = "4" + _digits(generator, 14)
    text = body + luhn_digit(body)
    return " ".join(text[place : place + 4] for place in range(0, 16, 4))


NATIONAL_IDS = {
    **{"amka": amka, "egn": egn, "pesel": pesel, "dni": dni, "nhs": nhs, "idnr": idnr},
    **{"nir": nir, "bsn": bsn, "cnp": cnp, "tckimlik": tckimlik},
    **{"rc": rc, "personnummer": personnummer, "oib": oib, "cpf": cpf},
}


def letters(generator: np.random.Generator, n: int) -> str:
    return "".join(generator.choice(list(string.ascii_uppercase), n))

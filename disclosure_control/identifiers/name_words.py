"""Words that indicate names of persons: titles, endings of surnames, and our own short list of common first names.

The list is small on purpose: it gives a hint, beside the shape and the variety of a column's values.
"""

from __future__ import annotations

import re

from disclosure_control.basics.column_names import folded

# As written in Latin, Greek and Cyrillic letters.
FIRST_NAMES = frozenset(
    folded(name)
    for name in """
    James John Robert Michael William David Thomas Charles Mary Patricia Jennifer Linda Elizabeth Susan Sarah Emma Emily
    Hans Peter Klaus Wolfgang Jürgen Stefan Andreas Ursula Monika Sabine Petra Anna Heike Karin Julia Lukas
    José Juan Carlos Luis Miguel Antonio Javier María Carmen Josefa Isabel Ana Laura Lucía Pilar Pablo
    Jan Andrzej Piotr Krzysztof Tomasz Paweł Marek Maria Katarzyna Małgorzata Agnieszka Barbara Ewa Zofia Jakub
    Ivan Georgi Dimitar Nikola Petar Todor Stoyan Ivanka Elena Maria Mariya Desislava Radka Stefka
    Иван Георги Димитър Никола Петър Тодор Стоян Иванка Елена Мария Десислава Радка Стефка Надежда Александър Калина
    Александр Сергей Дмитрий Алексей Андрей Ольга Наталья Татьяна Ирина Светлана
    Γιώργος Γεώργιος Δημήτρης Δημήτριος Κώστας Κωνσταντίνος Γιάννης Ιωάννης Νίκος Νικόλαος Παναγιώτης Βασίλης Μαρία
    Ελένη Κατερίνα Αικατερίνη Βασιλική Σοφία Αγγελική Γεωργία Δήμητρα Αναστασία Χρήστος Ευάγγελος Παρασκευή
    Giorgos Georgios Dimitris Dimitrios Kostas Konstantinos Giannis Ioannis Nikos Nikolaos Panagiotis Eleni Katerina
    Vasiliki Sofia Angeliki Christos
    Jean Pierre Michel Philippe Nicolas Marie Nathalie Isabelle Sylvie Catherine François
    Giuseppe Giovanni Mario Luigi Francesco Paolo Giulia Francesca Chiara Rosa
    Johannes Willem Pieter Lars Anders Erik Karl Ingrid Astrid Kirsten João Manuel Mihai Andrei Ioana Mehmet Mustafa
    Fatma Ayşe Ahmed Mohamed Fatima Ali
    """.split()  # noqa: SIM905
)

# Endings of surnames that few other words have; of folded words, without accents.
SURNAME = re.compile(
    r"(?:οπουλοσ|οπουλου|οπουλος|ιδης|ιδησ|ιδου|ιαδης|ιαδησ|ιαδου|ακης|ακησ|ακη|ογλου|ελλης|ελλησ|ουδης|ουδησ|"
    r"opoulos|opoulou|idis|idou|iadis|iadou|akis|oglou|oglu|"
    r"ов|ова|ев|ева|ски|ска|ский|ская|енко|ович|чук|"
    r"ov|ova|ev|eva|ski|ska|sky|icz|czyk|czak|enko|vic|"
    r"mann|meier|meyer|maier|mayer|berger|bauer|hofer|stein|huber|schmidt|"
    r"guez|dez|nez|mez|pez|rez|tez|"
    r"sson|ssen|nsen|dottir|strom|qvist|quist|"
    r"eau|ault|elli|etti|ucci|ini|escu|escu|yan|ian)$"
)

TITLED = (
    r"(^|[^\pL])(Mr|Mrs|Ms|Dr|Prof|Herr|Herrn|Frau|Sr|Sra|Señor|Señora|Pan|Pana|Pani|Panem|Panią|Mme|Monsieur|Madame|"
    r"Signor|Signora|Sig|κ|κα|κος|Κος|Κα|Κυρία|Κύριος|κυρία|κύριος|κύριο|κυρίου|κ\.κ|γιατρός|ιατρός|Δρ|г-н|г-жа|Г-н|"
    r"Г-жа|д-р|Д-р|проф|lek|DR|MR|MRS|PROF)\.? (med\. |n\. |hab\. )?([\p{Lu}]\. ?){0,2}[\p{Lu}][\pL'’-]{2,}"
)


def is_first_name(word: str) -> bool:
    """Whether a word is one of the common first names."""
    return folded(word) in FIRST_NAMES


def ends_as_surname(word: str) -> bool:
    """Whether a word of five letters and more ends as surnames do."""
    letters = folded(word)
    return len(letters) >= 5 and SURNAME.search(letters) is not None

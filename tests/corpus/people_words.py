"""Words of the corpus: names, streets, cities, diagnoses and headings, by language. All of our own choosing.

``TUNING`` is what the kinds were tried on while they were written, and ``more_words`` what they were then mended with;
``held_out_words`` has what they are measured on.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Language:
    """``first`` and ``last`` names, ``street`` patterns with the house number, headings by what a column holds.

    ``national`` names the national id, ``date`` and ``phone`` their forms, ``title`` stands before a name in a text.
    """

    first: tuple[str, ...]
    last: tuple[str, ...]
    street: tuple[str, ...]
    city: tuple[str, ...]
    diagnosis: tuple[str, ...]
    headings: dict[str, str]
    note: str
    national: str
    date: str
    phone: str
    postcode: str
    title: str


def words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def headings(text: str) -> dict[str, str]:
    keys = (
        *("surname", "first", "national_id", "phone", "email", "birth", "street", "postcode", "sex", "age"),
        *("diagnosis", "city", "cholesterol", "admission", "note"),
    )
    return dict(zip(keys, words(text), strict=True))


GREEK = Language(
    words("Γιώργος,Μαρία,Ελένη,Δημήτρης,Κώστας,Νίκος,Αικατερίνη,Βασιλική,Σοφία,Χρήστος,Παναγιώτης,Σπύρος"),
    words(
        "Παπαδόπουλος,Γεωργίου,Οικονόμου,Νικολαΐδης,Αντωνιάδης,Καραγιάννης,Παπαδάκης,Κωνσταντινίδου,Βλάχος,Μακρής,"
        "Αγγελόπουλος,Σταματάκη,Δημητρίου,Ιωαννίδης,Ζαχαριάδης,Λαμπρόπουλος,Τσιρογιάννη,Κοντός,Παππάς,Σαμαράς,Ξενάκης"
    ),
    words("Οδός Ερμού {},Λεωφ. Κηφισίας {},Αγίου Δημητρίου {},Πατησίων {},Βασ. Σοφίας {},Τσιμισκή {},Κοραή {}"),
    words("Αθήνα,Θεσσαλονίκη,Πάτρα,Λάρισα,Βόλος"),
    words("Υπέρταση,Σακχαρώδης διαβήτης τύπου 2,Άσθμα,Παχυσαρκία,Δυσλιπιδαιμία,Καρδιακή ανεπάρκεια,Ημικρανία"),
    headings(
        "Επώνυμο,Όνομα,ΑΜΚΑ,Τηλέφωνο,Ηλ. ταχυδρομείο,Ημ. γέννησης,Διεύθυνση,ΤΚ,Φύλο,Ηλικία,Διάγνωση,Πόλη,Χοληστερόλη,"
        "Ημ. εισαγωγής,Παρατηρήσεις"
    ),
    "Ο ασθενής προσήλθε με πόνο στο στήθος και του δόθηκαν οδηγίες για τη δίαιτα {}",
    *("amka", "%d/%m/%Y", "69{8}", "### ##", "κ. "),
)
GERMAN = Language(
    words("Hans,Ursula,Klaus,Sabine,Stefan,Monika,Jürgen,Petra,Wolfgang,Heike,Dieter,Renate,Uwe,Birgit,Tobias,Anja"),
    words(
        "Müller,Schmidt,Schneider,Fischer,Weber,Wagner,Becker,Hoffmann,Schäfer,Koch,Bauer,Richter,Klein,Wolf,Neumann,"
        "Schwarz,Zimmermann,Braun,Krüger,Hofmann,Hartmann,Lange,Werner,Krause,Lehmann"
    ),
    words("Hauptstraße {},Gartenweg {},Lindenallee {},Bahnhofstr. {},Am Markt {},Goetheplatz {},Schillerstraße {}"),
    words("Berlin,Hamburg,München,Köln,Leipzig"),
    words("Arterielle Hypertonie,Diabetes mellitus Typ 2,Asthma bronchiale,Adipositas,Herzinsuffizienz,Migräne"),
    headings(
        "Nachname,Vorname,Steuer-ID,Telefon,E-Mail,Geburtsdatum,Anschrift,PLZ,Geschlecht,Alter,Diagnose,Ort,Cholesterin,"
        "Aufnahmedatum,Bemerkung"
    ),
    "Patient stellte sich mit Beschwerden in der Ambulanz vor und wurde beraten {}",
    *("idnr", "%d.%m.%Y", "0### #######", "#####", "Herr "),
)
SPANISH = Language(
    words("José,María,Carmen,Antonio,Luis,Pilar,Javier,Lucía,Miguel,Ana,Rosario,Manuel,Teresa,Álvaro,Dolores"),
    words(
        "García,Rodríguez,González,Fernández,López,Martínez,Sánchez,Pérez,Gómez,Jiménez,Ruiz,Hernández,Díaz,Moreno,"
        "Álvarez,Romero,Navarro,Torres,Vázquez,Gil,Ramos,Serrano,Blanco,Molina"
    ),
    words("Calle Mayor {},Avda. de la Constitución {},Plaza España {},C/ Goya {},Paseo del Prado {},Calle Luna {}"),
    words("Madrid,Barcelona,Sevilla,Valencia,Bilbao"),
    words("Hipertensión arterial,Diabetes mellitus tipo 2,Asma,Obesidad,Insuficiencia cardíaca,Migraña,Dislipemia"),
    headings(
        "Apellidos,Nombre,DNI,Teléfono,Correo,Fecha de nacimiento,Dirección,Código postal,Sexo,Edad,Diagnóstico,Ciudad,"
        "Colesterol,Fecha de ingreso,Observaciones"
    ),
    "El paciente acude a consulta por dolor abdominal desde hace varios días {}",
    *("dni", "%d-%m-%Y", "6## ### ###", "#####", "Sra. "),
)
POLISH = Language(
    words("Jan,Anna,Piotr,Katarzyna,Tomasz,Małgorzata,Paweł,Agnieszka,Marek,Ewa,Grzegorz,Halina,Zbigniew,Danuta"),
    words(
        "Nowak,Kowalski,Wiśniewska,Wójcik,Kowalczyk,Kamińska,Lewandowski,Zielińska,Szymański,Woźniak,Dąbrowska,Kozłowski,"
        "Jankowska,Mazur,Kwiatkowski,Krawczyk,Piotrowska,Grabowski,Pawłowska,Michalski"
    ),
    words("ul. Długa {},ul. Lipowa {},al. Jana Pawła II {},ul. Polna {},os. Słoneczne {},ul. Kwiatowa {}"),
    words("Warszawa,Kraków,Wrocław,Poznań,Gdańsk"),
    words("Nadciśnienie tętnicze,Cukrzyca typu 2,Astma oskrzelowa,Otyłość,Niewydolność serca,Migrena,Dyslipidemia"),
    headings(
        "Nazwisko,Imię,PESEL,Telefon,Poczta elektroniczna,Data urodzenia,Adres,Kod pocztowy,Płeć,Wiek,Rozpoznanie,"
        "Miasto,Cholesterol,Data przyjęcia,Uwagi"
    ),
    "Pacjent zgłosił się z powodu bólu głowy trwającego od kilku dni {}",
    *("pesel", "%Y-%m-%d", "+48 ### ### ###", "##-###", "Pani "),
)
BULGARIAN = Language(
    words("Иван,Мария,Георги,Елена,Димитър,Радка,Никола,Стефка,Петър,Надежда,Стоян,Калина,Борис,Цветана"),
    words(
        "Иванов,Георгиева,Димитров,Петрова,Николов,Стоянова,Тодоров,Ангелова,Христов,Василева,Колев,Маринова,Атанасов,"
        "Янкова,Костов,Попова,Илиев,Станева,Желев,Кръстева"
    ),
    words("ул. Шипка {},бул. Витоша {},ул. Раковски {},ж.к. Младост {},ул. Иван Вазов {},пл. Свобода {}"),
    words("София,Пловдив,Варна,Бургас,Русе"),
    words("Артериална хипертония,Захарен диабет тип 2,Астма,Затлъстяване,Сърдечна недостатъчност,Мигрена"),
    headings(
        "Фамилия,Име,ЕГН,Телефон,Имейл,Дата на раждане,Адрес,Пощенски код,Пол,Възраст,Диагноза,Град,Холестерол,"
        "Дата на постъпване,Бележки"
    ),
    "Пациентът се оплаква от болки в гърба и му е назначено лечение {}",
    *("egn", "%d.%m.%Y г.", "+359 88 ### ####", "####", "г-жа "),
)
ENGLISH = Language(
    words("James,Mary,John,Patricia,Robert,Jennifer,Michael,Linda,William,Susan,Oliver,Harriet,Graham,Maureen"),
    words(
        "Smith,Jones,Taylor,Brown,Williams,Wilson,Johnson,Davies,Robinson,Wright,Thompson,Evans,Walker,White,Roberts,"
        "Green,Hall,Wood,Jackson,Clarke,Harrison,Bradley,Ellis"
    ),
    words("{} High Street,{} Church Lane,{} Victoria Road,{} Mill Close,{} Park Avenue,{} Queens Drive"),
    words("London,Leeds,Bristol,York,Oxford"),
    words("Hypertension,Type 2 diabetes mellitus,Asthma,Obesity,Heart failure,Migraine,Dyslipidaemia"),
    headings(
        "Surname,Forename,NHS number,Mobile,Email,Date of birth,Address,Postcode,Sex,Age,Diagnosis,City,Cholesterol,"
        "Date of admission,Comments"
    ),
    "Patient attended clinic complaining of chest pain and was advised to rest {}",
    *("nhs", "%d %B %Y", "07### ######", "UK", "Mrs "),
)

TUNING = {
    **{"greek": GREEK, "german": GERMAN, "spanish": SPANISH},
    **{"polish": POLISH, "bulgarian": BULGARIAN, "english": ENGLISH},
}

"""Words that no kind was tried on while it was written: a third set of names, and four further languages."""

from __future__ import annotations

from dataclasses import replace

from tests.corpus.people_words import BULGARIAN, ENGLISH, GERMAN, GREEK, POLISH, SPANISH, Language, headings, words

CZECH = Language(
    words("Zdeněk,Libuše,Vojtěch,Blanka,Oldřich,Drahomíra,Bohumil,Květa,Radim,Šárka,Přemysl,Alžběta"),
    words(
        "Novák,Svobodová,Dvořák,Černá,Procházka,Kučerová,Veselý,Horáková,Němec,Pokorná,Marek,Pospíšilová,Hájek,Králová,"
        "Jelínek,Růžičková,Beneš,Fialová,Sedláček,Doležalová"
    ),
    words("Nádražní {},Husova {},Palackého {},Komenského {},Zahradní {},Sokolská {}"),
    words("Praha,Brno,Ostrava,Plzeň,Olomouc"),
    words("Arteriální hypertenze,Diabetes mellitus 2. typu,Astma,Obezita,Srdeční selhání,Migréna"),
    headings(
        "Příjmení,Křestní jméno,Rodné číslo,Telefon,Elektronická pošta,Datum narození,Adresa,PSČ,Pohlaví,Věk,Diagnóza,"
        "Město,Cholesterol,Datum přijetí,Poznámka"
    ),
    "Pacient přichází pro bolesti zad trvající několik dnů a byl poučen {}",
    *("rc", "%d. %m. %Y", "+420 7## ### ###", "### ##", "Pan "),
)
SWEDISH = Language(
    words("Göran,Birgitta,Torbjörn,Gunilla,Håkan,Ulrika,Mattias,Åsa,Fredrik,Pernilla,Linus,Ebba"),
    words(
        "Andersson,Johansson,Karlsson,Nilsson,Lindberg,Lundgren,Bergström,Hedlund,Sjöberg,Nyström,Holm,Sandberg,Ekström,"
        "Forsberg,Dahl,Wallin,Engström,Björk,Åberg,Norén"
    ),
    words("Storgatan {},Kungsgatan {},Björkvägen {},Skolgatan {},Ringvägen {},Drottninggatan {}"),
    words("Stockholm,Göteborg,Malmö,Uppsala,Lund"),
    words("Hypertoni,Diabetes typ 2,Astma,Fetma,Hjärtsvikt,Migrän"),
    headings(
        "Efternamn,Förnamn,Personnummer,Telefon,E-postadress,Födelsedatum,Adress,Postnummer,Kön,Ålder,Diagnos,Ort,"
        "Kolesterol,Inskrivningsdatum,Anteckningar"
    ),
    "Patienten söker för hosta sedan två veckor och får råd om vila {}",
    *("personnummer", "%Y-%m-%d", "070-### ## ##", "### ##", "Dr. "),
)
CROATIAN = Language(
    words("Tomislav,Vesna,Zvonimir,Ljiljana,Hrvoje,Snježana,Krešimir,Jasna,Domagoj,Branka,Zlatko,Mirjana"),
    words(
        "Horvat,Kovačević,Babić,Marić,Jurić,Novak,Knežević,Vuković,Marković,Matić,Tomić,Pavlović,Božić,Blažević,Grgić,"
        "Pavić,Radić,Perić,Filipović,Šarić"
    ),
    words("Ulica kralja Tomislava {},Vukovarska cesta {},Trg slobode {},Ilica {},Zagrebačka ulica {}"),
    words("Zagreb,Split,Rijeka,Osijek,Zadar"),
    words("Arterijska hipertenzija,Šećerna bolest tipa 2,Astma,Pretilost,Zatajenje srca,Migrena"),
    headings(
        "Prezime,Ime,OIB,Mobitel,E-pošta,Datum rođenja,Adresa,Poštanski broj,Spol,Dob,Dijagnoza,Grad,Kolesterol,"
        "Datum prijema,Napomena"
    ),
    "Pacijent dolazi zbog bolova u leđima koji traju nekoliko dana {}",
    *("oib", "%d.%m.%Y.", "+385 91 ### ####", "#####", "Dr. "),
)
PORTUGUESE = Language(
    words("Gonçalo,Conceição,Vasco,Lurdes,Nuno,Graça,Tiago,Fernanda,Rui,Filomena,Hélder,Catarina"),
    words(
        "Silva,Ferreira,Pereira,Oliveira,Costa,Rodrigues,Martins,Sousa,Gonçalves,Carvalho,Almeida,Pinto,Teixeira,Moreira,"
        "Correia,Mendes,Nunes,Vieira,Cardoso,Rocha"
    ),
    words("Rua das Flores {},Avenida da Liberdade {},Travessa do Carmo {},Largo do Rato {},Rua Augusta {}"),
    words("Lisboa,Porto,Braga,Coimbra,Faro"),
    words("Hipertensão arterial,Diabetes mellitus tipo 2,Asma,Obesidade,Insuficiência cardíaca,Enxaqueca"),
    headings(
        "Apelido,Nome próprio,CPF,Telemóvel,Correio,Data de nascimento,Morada,Código postal,Sexo,Idade,Diagnóstico,"
        "Cidade,Colesterol,Data de internamento,Observações"
    ),
    "O doente recorre à urgência por febre e tosse com três dias de evolução {}",
    *("cpf", "%d/%m/%Y", "9## ### ###", "####-###", "Dr. "),
)

HELD_OUT = {
    "greek": replace(
        GREEK,
        first=words(
            "Αλέξανδρος,Δέσποινα,Θεόδωρος,Ευτυχία,Απόστολος,Μαγδαληνή,Φίλιππος,Πηνελόπη,Αριστείδης,Χρυσούλα,Ορέστης"
        ),
        last=words(
            "Παπαγεωργίου,Αλεξίου,Τσακίρης,Μανωλάκης,Ρούσσος,Σκλαβενίτης,Κατσαρού,Μπουρνάζος,Δημητριάδης,Φραγκούλης,"
            "Αθανασίου,Λυμπεροπούλου,Γαλάνης,Χατζή,Βενιζέλος,Μαρκάκη,Σιδηρόπουλος,Κουρής,Τριανταφύλλου"
        ),
    ),
    "german": replace(
        GERMAN,
        first=words("Eberhard,Roswitha,Sven,Waltraud,Marcel,Edeltraud,Kai,Ilse,Norbert,Gisela,Jens,Elfriede"),
        last=words(
            "Pohl,Engel,Horn,Busch,Bergmann,Thomas,Voigt,Sauer,Arnold,Pfeiffer,Haas,Ernst,Kühn,Seidel,Brandt,Jung,Graf,"
            "Dietrich,Ziegler,Kuhn,Otto"
        ),
    ),
    "spanish": replace(
        SPANISH,
        first=words("Emilio,Amparo,Fermín,Remedios,Hugo,Nuria,Óscar,Milagros,Jaime,Rocío,Víctor,Asunción"),
        last=words(
            "Suárez,Domínguez,Gómez,Crespo,Ferrer,Pascual,Herrera,Vega,Campos,Carrasco,Nieto,Rey,Aguilar,Santana,Peña,"
            "Vicente,Mora,Arias,Carmona,Roldán"
        ),
    ),
    "polish": replace(
        POLISH,
        first=words("Bogdan,Wanda,Mirosław,Elżbieta,Sławomir,Renata,Leszek,Iwona,Czesław,Beata,Hubert,Kinga"),
        last=words(
            "Bąk,Chmielewska,Sobczak,Czarnecki,Sawicka,Szczepański,Urbańska,Kubiak,Wilk,Maciejewska,Lis,Kalinowski,"
            "Wysocka,Kołodziej,Cieślak,Szulc,Błaszczyk,Mróz,Laskowska"
        ),
    ),
    "bulgarian": replace(
        BULGARIAN,
        first=words("Огнян,Милена,Любомир,Жанета,Деян,Таня,Веселин,Кремена,Чавдар,Лиляна,Явор,Нели"),
        last=words(
            "Русев,Дамянова,Чолаков,Кацарова,Митев,Гърдева,Пеев,Златева,Вълчев,Божинова,Делчев,Христова,Узунов,Манева,"
            "Бояджиев,Славова,Дончев,Терзиева"
        ),
    ),
    "english": replace(
        ENGLISH,
        first=words("Trevor,Mavis,Dylan,Bronwen,Alistair,Fiona,Barry,Winifred,Jordan,Poppy,Angus,Hilda"),
        last=words(
            "Shaw,Russell,Reynolds,Fisher,Gibson,Ellis,Fox,Rose,Mason,Stone,Day,Burton,Watts,Pearce,Lamb,Hodges,Bird,Frost,"
            "Steele,Winters,Blake"
        ),
    ),
    **{"czech": CZECH, "swedish": SWEDISH, "croatian": CROATIAN, "portuguese": PORTUGUESE},
}

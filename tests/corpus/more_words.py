"""Other names of the same languages, and four languages more: what the kinds were tried on in a second round."""

from __future__ import annotations

from dataclasses import replace

from tests.corpus.people_words import (
    BULGARIAN,
    ENGLISH,
    GERMAN,
    GREEK,
    POLISH,
    SPANISH,
    Language,
    headings,
    words,
)

FRENCH = Language(
    words("Océane,Thibault,Maëlle,Gaspard,Noémie,Baptiste,Clémence,Yannick,Solène,Corentin,Apolline,Ghislain"),
    words(
        "Lefebvre,Mercier,Girard,Bonnet,Chevalier,Perrin,Masson,Garnier,Faure,Boyer,Guérin,Colin,Lemoine,Renard,Barbier,"
        "Meunier,Rolland,Charpentier,Fontaine,Vasseur,Delacroix,Tessier"
    ),
    words("{} rue de la République,{} boulevard Voltaire,{} rue des Lilas,12 bis rue Pasteur {},{} rue Molière"),
    words("Paris,Lyon,Lille,Nantes,Rennes"),
    words("Hypertension artérielle,Diabète de type 2,Asthme,Obésité,Insuffisance cardiaque,Migraine"),
    headings(
        "Nom,Prénom,N° sécurité sociale,Téléphone,Courriel,Date de naissance,Adresse,Code postal,Sexe,Âge,Diagnostic,"
        "Ville,Cholestérol,Date d'entrée,Remarques"
    ),
    "Le patient consulte pour une toux persistante depuis deux semaines {}",
    *("nir", "%d/%m/%y", "06 ## ## ## ##", "#####", "Mme "),
)
DUTCH = Language(
    words("Sanne,Bram,Femke,Joost,Lotte,Ruben,Marloes,Thijs,Anouk,Sjoerd,Nienke,Wouter"),
    words(
        "de Jong,Bakker,Visser,Smit,Mulder,Bos,Vos,Hendriks,Dekker,Brouwer,van Dijk,Kuipers,van den Berg,Postma,"
        "Veenstra,Hoekstra,Dijkstra,van der Meer,Koster,Prins,Blom"
    ),
    words("Kerkstraat {},Dorpsstraat {},Molenlaan {},Stationsstraat {},Wilhelminastraat {}"),
    words("Amsterdam,Utrecht,Groningen,Breda,Leiden"),
    words("Hypertensie,Diabetes mellitus type 2,Astma,Obesitas,Hartfalen,Migraine"),
    headings(
        "Achternaam,Voornaam,BSN,Telefoon,Mailadres,Geboortedatum,Adres,Postcode,Geslacht,Leeftijd,Diagnose,Plaats,"
        "Cholesterol,Opnamedatum,Opmerkingen"
    ),
    "Patiënt meldt zich met klachten van de rug en kreeg advies mee {}",
    *("bsn", "%d-%m-%Y", "06-########", "NL", "Dr. "),
)
ROMANIAN = Language(
    words("Ștefan,Ileana,Radu,Mihaela,Cosmin,Luminița,Sorin,Raluca,Dragoș,Crina,Marius,Viorica"),
    words(
        "Popa,Dumitru,Stoica,Gheorghe,Matei,Ciobanu,Rusu,Moldovan,Lupu,Sandu,Toma,Barbu,Cristea,Dobre,Nistor,Oprea,"
        "Manole,Voicu,Neagu,Tudor,Marin"
    ),
    words("Strada Florilor {},Bulevardul Unirii {},str. Libertății {},Strada Mihai Eminescu {},str. Morii {}"),
    words("București,Cluj,Iași,Brașov,Sibiu"),
    words("Hipertensiune arterială,Diabet zaharat tip 2,Astm bronșic,Obezitate,Insuficiență cardiacă,Migrenă"),
    headings(
        "Nume,Prenume,CNP,Mobil,Adresa de mail,Data nașterii,Adresă,Cod poștal,Sex,Vârstă,Diagnostic,Oraș,Colesterol,"
        "Data internării,Observații"
    ),
    "Pacientul se prezintă cu dureri toracice apărute în urmă cu două zile {}",
    *("cnp", "%Y.%m.%d", "07## ### ###", "RO", "Dr. "),
)
TURKISH = Language(
    words("Elif,Emre,Zeynep,Burak,Gizem,Okan,Selin,Hakan,Derya,Serkan,Ebru,Tolga"),
    words(
        "Yılmaz,Kaya,Demir,Çelik,Şahin,Yıldız,Öztürk,Aydın,Arslan,Doğan,Kılıç,Aslan,Çetin,Koç,Kurt,Özkan,Şimşek,Polat,"
        "Korkmaz,Erdoğan,Güneş"
    ),
    words("Atatürk Cad. {},Gül Sokak {},İnönü Bulvarı {},Papatya Sokak {},Cumhuriyet Cad. {},Barış Mah. {}"),
    words("Ankara,İstanbul,İzmir,Bursa,Adana"),
    words("Hipertansiyon,Tip 2 diyabet,Astım,Obezite,Kalp yetmezliği,Migren"),
    headings(
        "Soyadı,Adı,TC Kimlik No,Cep telefonu,E-posta,Doğum tarihi,Adres,Posta kodu,Cinsiyet,Yaş,Tanı,Şehir,Kolesterol,"
        "Yatış tarihi,Notlar"
    ),
    "Hasta iki gündür süren baş ağrısı nedeniyle polikliniğe başvurdu {}",
    *("tckimlik", "%d.%m.%Y", "+90 5## ### ####", "#####", "Dr. "),
)

SECOND_ROUND = {
    "greek": replace(
        GREEK,
        first=words("Θανάσης,Φωτεινή,Λευτέρης,Χαρίκλεια,Στέλιος,Ευφροσύνη,Μιχάλης,Αντιγόνη,Ηλίας,Ζωή,Πέτρος,Κυριακή"),
        last=words(
            "Αναγνωστόπουλος,Χατζηδάκης,Κυριακίδης,Μαυρομάτης,Φωτιάδου,Καλογεράς,Ρήγας,Τζαννετάκη,Λιάκος,Μπακάλης,"
            "Θεοδώρου,Σπανός,Χαραλάμπους,Δρακόπουλος,Καψάλη,Γκίκας,Πετρίδης,Μελά,Στεργίου,Βασιλείου"
        ),
    ),
    "german": replace(
        GERMAN,
        first=words("Detlef,Gudrun,Torsten,Silke,Holger,Annegret,Rüdiger,Kerstin,Marlies,Volker,Ingo,Hannelore"),
        last=words(
            "Vogel,Friedrich,Keller,Günther,Frank,Berger,Winkler,Roth,Beck,Lorenz,Baumann,Franke,Albrecht,Schuster,Simon,"
            "Ludwig,Böhm,Winter,Kraus,Martin,Schumacher,Vogt"
        ),
    ),
    "spanish": replace(
        SPANISH,
        first=words(
            "Ignacio,Begoña,Gonzalo,Inmaculada,Rafael,Montserrat,Sergio,Encarnación,Raúl,Consuelo,Iván,Yolanda"
        ),
        last=words(
            "Muñoz,Alonso,Gutiérrez,Castro,Ortiz,Rubio,Marín,Sanz,Iglesias,Medina,Garrido,Cortés,Castillo,Santos,"
            "Lozano,Guerrero,Cano,Prieto,Méndez,Calvo,Vidal"
        ),
    ),
    "polish": replace(
        POLISH,
        first=words("Stanisław,Jadwiga,Łukasz,Teresa,Wojciech,Bożena,Rafał,Grażyna,Dariusz,Urszula,Kamil,Justyna"),
        last=words(
            "Adamczyk,Dudek,Zając,Wieczorek,Jabłońska,Król,Majewska,Olszewski,Jaworska,Wróbel,Malinowska,Pawlak,"
            "Witkowska,Walczak,Stępień,Górska,Rutkowski,Sikora,Baran,Duda"
        ),
    ),
    "bulgarian": replace(
        BULGARIAN,
        first=words("Васил,Росица,Красимир,Даниела,Пламен,Снежана,Румен,Виолета,Емил,Антоанета,Светослав,Галина"),
        last=words(
            "Младенов,Спасова,Велков,Тошева,Пенев,Миткова,Рангелов,Зафирова,Бонев,Цветкова,Гочев,Дойчева,Савов,Мирчева,"
            "Лазаров,Филипова,Недев,Панайотова,Стойчев,Енева"
        ),
    ),
    "english": replace(
        ENGLISH,
        first=words("Nigel,Beryl,Craig,Doreen,Callum,Imogen,Declan,Philippa,Rhys,Gemma,Stuart,Tamsin"),
        last=words(
            "Hughes,Edwards,Turner,Collins,Parker,Cooper,Bailey,Murphy,Kelly,Cox,Marshall,Ward,Foster,Gray,Hunt,Palmer,"
            "Mills,Barnes,Knight,Webb,Holmes,Chapman"
        ),
    ),
    **{"french": FRENCH, "dutch": DUTCH, "romanian": ROMANIAN, "turkish": TURKISH},
}

"""What made-up cells read in German. Names of people and companies stay; numbers and days have no language."""

from __future__ import annotations

import re
from typing import Any

_PAIRS = """
Product Designer=Produktdesigner|Software Engineer=Softwareentwicklerin|Data Analyst=Datenanalystin|Product Manager=Produktmanager
Backend Engineer=Backend-Entwickler|UX Researcher=UX-Forscherin|Marketing Manager=Marketingleiter|DevOps Engineer=DevOps-Ingenieurin
Technical Writer=Technischer Redakteur|Sales Engineer=Vertriebsingenieurin|QA Engineer=Testingenieur|Frontend Developer=Frontend-Entwicklerin
Project Manager=Projektleiterin|Customer Success Manager=Kundenbetreuer|Machine Learning Engineer=ML-Ingenieurin|Operations Lead=Betriebsleiter
Financial Analyst=Finanzanalystin|Content Strategist=Inhaltsstratege|Security Engineer=Sicherheitsingenieurin|Business Analyst=Geschäftsanalyst
Lisbon=Lissabon|Copenhagen=Kopenhagen|Vienna=Wien|Zurich=Zürich|Prague=Prag|Ghent=Gent
Germany=Deutschland|Canada=Kanada|Ireland=Irland|Denmark=Dänemark|Norway=Norwegen|Spain=Spanien|Austria=Österreich|Kenya=Kenia
Pride and Prejudice=Stolz und Vorurteil|The Time Machine=Die Zeitmaschine|Great Expectations=Große Erwartungen|The Moonstone=Der Monddiamant
Little Women=Betty und ihre Schwestern|Treasure Island=Die Schatzinsel|Heart of Darkness=Herz der Finsternis|The Awakening=Das Erwachen
The Quiet Harbour=Der stille Hafen|Seven Winters=Sieben Winter|Paper Lanterns=Papierlaternen|The Last Ferry=Die letzte Fähre
Night Train East=Nachtzug nach Osten|A Field in June=Ein Feld im Juni|The Cartographer=Die Kartografin|Blue Hour=Blaue Stunde
Small Kingdoms=Kleine Königreiche|The Understudy=Die zweite Besetzung|Salt and Stone=Salz und Stein
Desk lamp=Schreibtischlampe|Standing desk=Stehpult|USB-C cable=USB-C-Kabel|Office chair=Bürostuhl|Monitor 27 inch=Bildschirm 27 Zoll
Label printer=Etikettendrucker|Notebook A5=Notizbuch A5|Cordless drill=Akkubohrer|Extension cord=Verlängerungskabel|Filing cabinet=Aktenschrank
Ladder=Leiter|Toolbox=Werkzeugkasten|Paper shredder=Aktenvernichter|Power adapter=Netzteil|Projector=Beamer|Keyboard=Tastatur|Storage box=Lagerkiste
Weekly groceries=Wocheneinkauf|Train ticket=Zugfahrkarte|Electricity bill=Stromrechnung|Dinner with friends=Abendessen mit Freunden
Gym membership=Fitnessstudio|Phone bill=Telefonrechnung|Coffee=Kaffee|Dentist=Zahnarzt|Bus pass=Busfahrkarte|Internet bill=Internetrechnung
Lunch=Mittagessen|Winter jacket=Winterjacke|Pharmacy=Apotheke|Car repair=Autoreparatur|Cinema=Kino|Bakery=Bäckerei
Draft the project plan=Projektplan entwerfen|Review the budget=Budget durchsehen|Book the venue=Raum buchen|Update the website=Website erneuern
Write the release notes=Versionshinweise schreiben|Call the landlord=Vermieterin anrufen|Prepare the slides=Folien vorbereiten
Collect feedback=Rückmeldungen sammeln|Fix the sign-up form=Anmeldeformular reparieren|Order new laptops=Neue Laptops bestellen
Renew the insurance=Versicherung verlängern|Plan the offsite=Klausurtag planen|Clean up the backlog=Rückstand aufräumen
Interview two users=Zwei Nutzer befragen|Send the invoices=Rechnungen verschicken|Translate the manual=Handbuch übersetzen
Test the backup=Sicherung prüfen|Archive old files=Alte Akten ablegen|Design the poster=Plakat gestalten|Schedule the photo shoot=Fototermin vereinbaren
Login fails after a password reset=Anmeldung scheitert nach neuem Passwort|Export drops the last row=Export verliert die letzte Zeile
Dark mode hides the menu=Dunkle Ansicht verdeckt das Menü|Search ignores accents=Suche übersieht Akzente
Upload hangs at 99 percent=Upload bleibt bei 99 Prozent stehen|Wrong total on the invoice=Falsche Summe auf der Rechnung
Page jumps while scrolling=Seite springt beim Blättern|E-mail is sent twice=E-Mail geht zweimal hinaus
Date picker shows the wrong month=Kalender zeigt den falschen Monat|Crash when the list is empty=Absturz bei leerer Liste
Slow start on old phones=Langsamer Start auf alten Handys|Broken link in the footer=Toter Link in der Fußzeile
Filter resets after a reload=Filter geht beim Neuladen verloren|Duplicate entries after import=Doppelte Einträge nach dem Import
Notification has no text=Benachrichtigung ohne Text|Layout breaks in landscape=Querformat zerreißt die Seite
Setup took only minutes=In Minuten eingerichtet|I cannot find the export=Wo ist der Export?|Please add dark mode=Bitte eine dunkle Ansicht
Support answered very quickly=Sehr schnelle Antwort vom Support|The app is slow in the morning=Morgens ist die App langsam
I love the new dashboard=Die neue Übersicht ist großartig|Invoices are hard to read=Rechnungen sind schwer zu lesen
Is there a mobile app?=Gibt es eine App fürs Handy?|Search finds what I need=Die Suche findet, was ich brauche|Too many e-mails=Zu viele E-Mails
The price went up without notice=Preis ohne Ankündigung erhöht|Sharing with my team works well=Teilen im Team klappt gut
Lemon lentil soup=Zitronen-Linsensuppe|Mushroom risotto=Pilzrisotto|Chickpea curry=Kichererbsencurry|Baked salmon=Lachs aus dem Ofen
Pumpkin ravioli=Kürbisravioli|Beef tacos=Tacos mit Rind|Miso noodles=Miso-Nudeln|Apple crumble=Apfelstreusel|Caesar salad=Caesar-Salat
Spinach quiche=Spinatquiche|Black bean chili=Chili mit schwarzen Bohnen
Spring design meetup=Designtreffen im Frühling|Founders breakfast=Gründerfrühstück|Data conference=Datenkonferenz|Team offsite=Klausurtag
Product launch=Produktvorstellung|Photography workshop=Fotokurs|Charity run=Spendenlauf|Open studio day=Tag des offenen Ateliers
Book club evening=Abend des Lesekreises|Developer summit=Entwicklertreffen|Harvest party=Erntefest|Writing weekend=Schreibwochenende
Website relaunch=Neue Website|Mobile app=Handy-App|Office move=Büroumzug|Data migration=Datenumzug|Brand refresh=Neuer Auftritt
Customer portal=Kundenportal|Hiring plan=Einstellungsplan|Pricing study=Preisstudie|Help center=Hilfebereich|Partner program=Partnerprogramm
Easy run=Lockerer Lauf|Interval run=Intervalllauf|Squats=Kniebeugen|Deadlift=Kreuzheben|Swim=Schwimmen|Rowing=Rudern|Bench press=Bankdrücken|Cycling=Radfahren
Basil=Basilikum|Lavender=Lavendel|Tomato=Tomate|Fern=Farn|Rosemary=Rosmarin|Peace lily=Einblatt|Snake plant=Bogenhanf|Mint=Minze
Call back next week=Nächste Woche zurückrufen|Waiting for a reply=Antwort steht aus|Looks promising=Sieht gut aus
Ask about the details=Einzelheiten erfragen|Recommended by a friend=Von Freunden empfohlen|Needs a second look=Noch einmal ansehen
Good first impression=Guter erster Eindruck|Check the terms=Bedingungen prüfen|Sent a reminder=Erinnerung verschickt|Nothing to add for now=Vorerst nichts weiter
Onboarding=Einstieg|Pricing=Preise|Speed=Geschwindigkeit|Search=Suche|Notifications=Benachrichtigungen|Sharing=Teilen|Dashboard=Übersicht
Invoices=Rechnungen|Appearance=Aussehen|Storeroom=Lager|Shelf A=Regal A|Shelf B=Regal B|Front desk=Empfang|Workshop=Werkstatt|Basement=Keller
Cupboard 2=Schrank 2|Meeting room=Besprechungsraum|Kitchen window=Küchenfenster|Balcony=Balkon|Living room=Wohnzimmer|Bathroom=Bad|Hallway=Flur
Study=Arbeitszimmer|Terrace=Terrasse|Bedroom=Schlafzimmer|Slow start, then great=Erst zäh, dann großartig|For the book club=Für den Lesekreis
Borrowed from the library=Aus der Bibliothek|Read it again some day=Irgendwann noch einmal lesen|Receipt is in the folder=Beleg liegt im Ordner
Shared with Jonas=Mit Jonas geteilt|Paid by card=Mit Karte bezahlt|Once a year=Einmal im Jahr|Split in two=Auf zwei aufgeteilt
Happens every time=Tritt jedes Mal auf|Could not reproduce it=Nicht nachzustellen|Only in Firefox=Nur in Firefox|Since the last release=Seit der letzten Version
A reload helps=Neuladen hilft|Log is attached=Protokoll liegt bei|Reported twice already=Schon zweimal gemeldet|Customers notice it=Kunden bemerken es
First draft is done=Erster Entwurf ist fertig|Needs a second pair of eyes=Braucht einen zweiten Blick|Ask Maya about the details=Maya nach Einzelheiten fragen
Half an hour at most=Höchstens eine halbe Stunde|Depends on the budget=Hängt vom Budget ab
Maple Street=Ahornstraße|Mill Lane=Mühlenweg|Station Road=Bahnhofstraße|Park Avenue=Parkallee|Harbour Street=Hafenstraße|Church Row=Kirchgasse
Garden Way=Gartenweg|Hill Road=Bergstraße
"""
VALUES = dict(pair.split("=") for line in _PAIRS.strip().splitlines() for pair in line.split("|"))
_ADDRESS = re.compile(r"(\d+) ([^,]+), (.+)")
# Once round a pool, a number tells one from the other; of books it is the volume.
_NUMBERED = re.compile(r"(.+?)((?:, volume)? \d+)")


def german_value(cell: Any) -> Any:
    """The cell in German, where it is one that was made up."""
    if not isinstance(cell, str):
        return cell
    if cell in VALUES:
        return VALUES[cell]
    if address := _ADDRESS.fullmatch(cell):
        return f"{VALUES.get(address[2], address[2])} {address[1]}, {VALUES.get(address[3], address[3])}"
    if (numbered := _NUMBERED.fullmatch(cell)) and numbered[1] in VALUES:
        return VALUES[numbered[1]] + numbered[2].replace(", volume", ", Band")
    return f"{cell.removesuffix(' and others')} und andere" if cell.endswith(" and others") else cell

export const connect = {
  title: 'App verbinden',
  lead: 'Jede Podcast-App, die gpodder.net unterstützt und dich den Server wählen lässt, funktioniert mit podstep.',
  asked: 'Wonach jede App fragt',
  address: 'Adresse des Servers',
  username: 'Benutzername',
  password: 'Passwort',
  passwordText: 'Das, mit dem du dich hier anmeldest.',
  passwordSso:
    'Apps können sich nicht mit {provider} anmelden. Wenn du noch kein Passwort hast, lege auf deiner Kontoseite eines fest.',
  toAccount: 'Zu deinem Konto',
  qr: 'QR-Code der Adresse {address}',
  qrHint: 'Mit der Kamera des Handys gelesen, kommt die Adresse dorthin. Sonst steht nichts im Code.',
  loopback:
    'Diese Adresse gilt nur auf diesem Computer. Öffne podstep für ein Handy unter der Adresse, die dieser Computer in deinem Netz hat.',
  plainTitle: 'Eine Adresse mit http://',
  plain:
    'Im eigenen Netz ist das in Ordnung. Anderswo können andere unterwegs das Passwort mitlesen; richte also https ein, bevor du podstep über das Internet benutzt.',
  which: 'Deine App',
  apps: {
    antennapod: {
      name: 'AntennaPod',
      runs: 'Android',
      steps: [
        'Öffne *Einstellungen → Synchronisation* und tippe auf *Anbieter für Synchronisierung auswählen*.',
        'Wähle *gPodder.net*.',
        'Gib {address} als Adresse des Servers ein.',
        'Melde dich mit Benutzername und Passwort an und gib dem Handy einen Namen.',
      ],
      plain: 'Tippe das http:// mit: Ohne es erwartet AntennaPod https.',
    },
    gpodder: {
      name: 'gPodder',
      runs: 'Linux, Windows, macOS',
      steps: [
        'Öffne *Einstellungen* und dort *gpodder.net*.',
        'Schalte die Synchronisation ein und gib {address} als *Server* ein.',
        'Gib Benutzername, Passwort und einen Namen für das Gerät ein.',
      ],
      plain: '',
    },
    kasts: {
      name: 'Kasts',
      runs: 'Linux, Android',
      steps: [
        'Öffne *Einstellungen → Synchronisation*, drücke *Anmelden* und wähle *gpodder.net*.',
        'Gib Benutzername und Passwort ein, wähle den eigenen Server (*Use custom server*) und gib {address} als Rechnernamen ein.',
        'Lege ein Gerät für Kasts an, oder wähle eines, das es schon gibt.',
      ],
      plain: '',
    },
    clementine: {
      name: 'Clementine',
      runs: 'Linux, Windows, macOS',
      steps: [
        'Öffne *Werkzeuge → Einstellungen → Podcasts*.',
        'Wähle unter *gpodder.net* die erweiterten Einstellungen (*Advanced Settings*) und gib {address} als *Base URL* ein. Versionen ohne dieses Feld kennen nur gpodder.net.',
        'Gib Benutzername, Passwort und einen Namen für das Gerät ein, dann *Anmelden*.',
      ],
      plain: '',
    },
    other: {
      name: 'Andere Apps',
      runs: 'Music Assistant, Kodi und weitere',
      steps: [
        'Suche in den Einstellungen der App nach *gpodder.net* oder *gPodder*, oft unter Synchronisation.',
        'Gibt es ein Feld für den Server, gib dort {address} ein.',
        'Gib Benutzername und Passwort ein und, falls danach gefragt wird, einen Namen für das Gerät.',
      ],
      plain: '',
    },
  },
  waiting: 'Warten auf die App …',
  waitingText: 'Sobald die App das erste Mal synchronisiert, steht es hier.',
  offline: 'Der Server antwortet gerade nicht. Wir versuchen es weiter …',
  made: '{device} hat sich gemeldet.',
  madeText: 'Die App ist verbunden. Ihre Podcasts erscheinen nach dem ersten Abgleich.',
  toDevices: 'Zu deinen Geräten',
}

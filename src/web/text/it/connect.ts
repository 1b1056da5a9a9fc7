export const connect = {
  title: 'Collega un’app',
  lead: 'Ogni app di podcast che supporta gpodder.net e ti lascia scegliere il server funziona con podstep.',
  asked: 'Che cosa chiede ogni app',
  address: 'Indirizzo del server',
  username: 'Nome utente',
  password: 'Password',
  passwordText: 'Quella con cui accedi qui.',
  passwordSso:
    'Le app non possono accedere con {provider}. Se non hai ancora una password, creane una nella pagina del tuo account.',
  toAccount: 'Al tuo account',
  qr: 'Codice QR dell’indirizzo {address}',
  qrHint: 'Con la fotocamera l’indirizzo arriva sul telefono. Nel codice non c’è altro.',
  loopback:
    'Questo indirizzo vale solo su questo computer. Per un telefono, apri podstep con l’indirizzo che questo computer ha nella tua rete.',
  plainTitle: 'Un indirizzo con http://',
  plain:
    'Nella tua rete va bene. Altrove qualcuno lungo il percorso può leggere la password: passa podstep a https prima di usarlo via internet.',
  which: 'La tua app',
  apps: {
    antennapod: {
      name: 'AntennaPod',
      runs: 'Android',
      steps: [
        'Apri *Impostazioni → Sincronizzazione* e tocca *Scegli il servizio di sincronizzazione*.',
        'Scegli *gPodder.net*.',
        'Scrivi {address} come indirizzo del server.',
        'Accedi con nome utente e password, e dai un nome al telefono.',
      ],
      plain: 'Scrivi anche http://: senza, AntennaPod si aspetta https.',
    },
    gpodder: {
      name: 'gPodder',
      runs: 'Linux, Windows, macOS',
      steps: [
        'Apri le *Preferenze* e lì *gpodder.net*.',
        'Attiva la sincronizzazione e scrivi {address} come *Server*.',
        'Scrivi nome utente, password e un nome per il dispositivo.',
      ],
      plain: '',
    },
    kasts: {
      name: 'Kasts',
      runs: 'Linux, Android',
      steps: [
        'Apri *Impostazioni → Sincronizzazione*, premi *Accedi* e scegli *gpodder.net*.',
        'Scrivi nome utente e password, spunta il server personalizzato (*Use custom server*) e scrivi {address} come nome host.',
        'Crea un dispositivo per Kasts, o scegline uno che esiste già.',
      ],
      plain: '',
    },
    clementine: {
      name: 'Clementine',
      runs: 'Linux, Windows, macOS',
      steps: [
        'Apri *Strumenti → Preferenze → Podcast*.',
        'In *gpodder.net* spunta le impostazioni avanzate (*Advanced Settings*) e scrivi {address} come *Base URL*. Le versioni senza questo campo conoscono solo gpodder.net.',
        'Scrivi nome utente, password e un nome per il dispositivo, poi *Accedi*.',
      ],
      plain: '',
    },
    other: {
      name: 'Altre app',
      runs: 'Music Assistant, Kodi e altre',
      steps: [
        'Cerca *gpodder.net* o *gPodder* nelle impostazioni dell’app, spesso sotto «Sincronizzazione».',
        'Se c’è un campo per il server, scrivi {address}.',
        'Scrivi nome utente e password e, se richiesto, un nome per il dispositivo.',
      ],
      plain: '',
    },
  },
  waiting: 'In attesa dell’app…',
  waitingText: 'Appena l’app si sincronizza per la prima volta, lo vedi qui.',
  offline: 'Il server al momento non risponde. Continuiamo a provare…',
  made: '{device} si è collegato.',
  madeText: 'L’app è collegata. I suoi podcast compaiono dopo la prima sincronizzazione.',
  toDevices: 'Ai tuoi dispositivi',
}

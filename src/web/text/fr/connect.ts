export const connect = {
  title: 'Connecter une appli',
  lead: 'Toute appli de podcasts qui prend en charge gpodder.net et te laisse choisir le serveur fonctionne avec podstep.',
  asked: 'Ce que demande chaque appli',
  address: 'Adresse du serveur',
  username: 'Nom d’utilisateur',
  password: 'Mot de passe',
  passwordText: 'Celui avec lequel tu te connectes ici.',
  passwordSso:
    'Les applis ne peuvent pas se connecter avec {provider}. Si tu n’as pas encore de mot de passe, choisis-en un sur la page de ton compte.',
  toAccount: 'Vers ton compte',
  qr: 'Code QR de l’adresse {address}',
  qrHint: 'Avec l’appareil photo, l’adresse arrive sur le téléphone. Le code ne contient rien d’autre.',
  loopback:
    'Cette adresse ne fonctionne que sur cet ordinateur. Pour un téléphone, ouvre podstep à l’adresse que cet ordinateur a dans ton réseau.',
  plainTitle: 'Une adresse en http://',
  plain:
    'Dans ton propre réseau, c’est très bien. Ailleurs, d’autres peuvent lire le mot de passe en chemin : passe podstep en https avant de l’utiliser par internet.',
  which: 'Ton appli',
  apps: {
    antennapod: {
      name: 'AntennaPod',
      runs: 'Android',
      steps: [
        'Ouvre *Préférences → Synchronisation* et touche *Choisir le service de synchronisation*.',
        'Choisis *gPodder.net*.',
        'Saisis {address} comme adresse du serveur.',
        'Connecte-toi avec ton nom d’utilisateur et ton mot de passe, puis donne un nom au téléphone.',
      ],
      plain: 'Saisis aussi le http:// : sans lui, AntennaPod attend https.',
    },
    gpodder: {
      name: 'gPodder',
      runs: 'Linux, Windows, macOS',
      steps: [
        'Ouvre les *Préférences*, puis *gpodder.net*.',
        'Active la synchronisation et saisis {address} comme *Serveur*.',
        'Saisis ton nom d’utilisateur, ton mot de passe et un nom pour l’appareil.',
      ],
      plain: '',
    },
    kasts: {
      name: 'Kasts',
      runs: 'Linux, Android',
      steps: [
        'Ouvre *Configuration → Synchronisation*, appuie sur *Connexion* et choisis *gpodder.net*.',
        'Saisis ton nom d’utilisateur et ton mot de passe, coche le serveur personnalisé (*Use custom server*) et saisis {address} comme nom d’hôte.',
        'Crée un appareil pour Kasts, ou choisis-en un qui existe déjà.',
      ],
      plain: '',
    },
    clementine: {
      name: 'Clementine',
      runs: 'Linux, Windows, macOS',
      steps: [
        'Ouvre *Outils → Préférences → Podcasts*.',
        'Sous *gpodder.net*, coche les paramètres avancés (*Advanced Settings*) et saisis {address} comme *Base URL*. Les versions sans ce champ ne connaissent que gpodder.net.',
        'Saisis ton nom d’utilisateur, ton mot de passe et un nom pour l’appareil, puis *Se connecter*.',
      ],
      plain: '',
    },
    other: {
      name: 'Autres applis',
      runs: 'Music Assistant, Kodi et d’autres',
      steps: [
        'Cherche *gpodder.net* ou *gPodder* dans les réglages de l’appli, souvent sous « Synchronisation ».',
        'S’il y a un champ pour le serveur, saisis {address}.',
        'Saisis ton nom d’utilisateur et ton mot de passe, et au besoin un nom pour l’appareil.',
      ],
      plain: '',
    },
  },
  waiting: 'En attente de l’appli…',
  waitingText: 'Dès que l’appli se synchronise pour la première fois, tu le vois ici.',
  offline: 'Le serveur ne répond pas pour le moment. On continue d’essayer…',
  made: '{device} a pris contact.',
  madeText: 'L’appli est connectée. Ses podcasts apparaissent après sa première synchronisation.',
  toDevices: 'Vers tes appareils',
}

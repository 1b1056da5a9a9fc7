export const connect = {
  title: 'Conectar una app',
  lead: 'Cualquier app de pódcasts compatible con gpodder.net que te deje elegir el servidor funciona con podstep.',
  asked: 'Lo que pide cada app',
  address: 'Dirección del servidor',
  username: 'Nombre de usuario',
  password: 'Contraseña',
  passwordText: 'La misma con la que inicias sesión aquí.',
  passwordSso:
    'Las apps no pueden iniciar sesión con {provider}. Si aún no tienes contraseña, crea una en la página de tu cuenta.',
  toAccount: 'A tu cuenta',
  qr: 'Código QR de la dirección {address}',
  qrHint: 'Con la cámara, la dirección llega al teléfono. El código no contiene nada más.',
  loopback:
    'Esta dirección solo funciona en este ordenador. Para un teléfono, abre podstep con la dirección que este ordenador tiene en tu red.',
  plainTitle: 'Una dirección con http://',
  plain:
    'En tu propia red está bien. Fuera de ella, otros pueden leer la contraseña por el camino: pon podstep en https antes de usarlo por internet.',
  which: 'Tu app',
  apps: {
    antennapod: {
      name: 'AntennaPod',
      runs: 'Android',
      steps: [
        'Abre *Ajustes → Sincronización* y toca *Elegir proveedor de sincronización*.',
        'Elige *gPodder.net*.',
        'Escribe {address} como dirección del servidor.',
        'Inicia sesión con tu nombre de usuario y tu contraseña, y ponle un nombre al teléfono.',
      ],
      plain: 'Escribe también el http://: sin él, AntennaPod espera https.',
    },
    gpodder: {
      name: 'gPodder',
      runs: 'Linux, Windows, macOS',
      steps: [
        'Abre *Preferencias* y allí *gpodder.net*.',
        'Activa la sincronización y escribe {address} como *Servidor*.',
        'Escribe tu nombre de usuario, tu contraseña y un nombre para el dispositivo.',
      ],
      plain: '',
    },
    kasts: {
      name: 'Kasts',
      runs: 'Linux, Android',
      steps: [
        'Abre *Preferencias → Sincronización*, pulsa *Iniciar sesión* y elige *gpodder.net*.',
        'Escribe tu nombre de usuario y tu contraseña, marca el servidor propio (*Use custom server*) y escribe {address} como nombre del servidor.',
        'Crea un dispositivo para Kasts o elige uno que ya exista.',
      ],
      plain: '',
    },
    clementine: {
      name: 'Clementine',
      runs: 'Linux, Windows, macOS',
      steps: [
        'Abre *Herramientas → Preferencias → Podcasts*.',
        'En *gpodder.net* marca los ajustes avanzados (*Advanced Settings*) y escribe {address} como *Base URL*. Las versiones sin ese campo solo conocen gpodder.net.',
        'Escribe tu nombre de usuario, tu contraseña y un nombre para el dispositivo, y después *Iniciar sesión*.',
      ],
      plain: '',
    },
    other: {
      name: 'Otras apps',
      runs: 'Music Assistant, Kodi y más',
      steps: [
        'Busca *gpodder.net* o *gPodder* en los ajustes de la app, a menudo en «Sincronización».',
        'Si hay un campo para el servidor, escribe {address}.',
        'Escribe tu nombre de usuario y tu contraseña y, si lo pide, un nombre para el dispositivo.',
      ],
      plain: '',
    },
  },
  waiting: 'Esperando a la app…',
  waitingText: 'En cuanto la app sincronice por primera vez, lo verás aquí.',
  offline: 'El servidor no responde en este momento. Seguimos intentándolo…',
  made: '{device} se ha conectado.',
  madeText: 'La app está conectada. Sus pódcasts aparecen tras su primera sincronización.',
  toDevices: 'A tus dispositivos',
}

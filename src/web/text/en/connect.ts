/** Steps: what stands between stars is written on the screen of the app, `{address}` is the server's. */
export const connect = {
  title: 'Connect an app',
  lead: 'Every podcast app that supports gpodder.net and lets you choose the server works with podstep.',
  asked: 'What every app asks for',
  address: 'Server address',
  username: 'User name',
  password: 'Password',
  passwordText: 'The one you sign in here with.',
  passwordSso: 'Apps cannot sign in with {provider}. If you have no password yet, set one on your account page.',
  toAccount: 'To your account',
  qr: 'QR code of the address {address}',
  qrHint: 'Scan it with your phone’s camera to get the address there. There is nothing else in the code.',
  loopback:
    'This address works on this computer only. For a phone, open podstep at the address that this computer has on your network.',
  plainTitle: 'An address with http://',
  plain:
    'That is fine on your own network. Elsewhere, others along the way can read the password, so give podstep https before you use it over the internet.',
  which: 'Your app',
  apps: {
    antennapod: {
      name: 'AntennaPod',
      runs: 'Android',
      steps: [
        'Open *Settings → Synchronization* and tap *Choose synchronization provider*.',
        'Choose *gPodder.net*.',
        'Enter {address} as the server address.',
        'Sign in with your user name and password, and give the phone a name.',
      ],
      plain: 'Type the http:// too: without it AntennaPod expects https.',
    },
    gpodder: {
      name: 'gPodder',
      runs: 'Linux, Windows, macOS',
      steps: [
        'Open *Preferences* and there *gpodder.net*.',
        'Switch synchronization on, and enter {address} as the *Server*.',
        'Enter your user name, your password and a name for the device.',
      ],
      plain: '',
    },
    kasts: {
      name: 'Kasts',
      runs: 'Linux, Android',
      steps: [
        'Open *Settings → Synchronization*, press *Login* and choose *gpodder.net*.',
        'Enter your user name and password, tick *Use custom server*, and enter {address} as the host name.',
        'Create a device for Kasts, or choose an existing one.',
      ],
      plain: '',
    },
    clementine: {
      name: 'Clementine',
      runs: 'Linux, Windows, macOS',
      steps: [
        'Open *Tools → Preferences → Podcasts*.',
        'Under *gpodder.net* tick *Advanced Settings*, and enter {address} as the *Base URL*. Versions without this field know gpodder.net only.',
        'Enter your user name, your password and a name for the device, then *Sign in*.',
      ],
      plain: '',
    },
    other: {
      name: 'Other apps',
      runs: 'Music Assistant, Kodi and more',
      steps: [
        'In the app’s settings, look for *gpodder.net* or *gPodder*, often under synchronization.',
        'If there is a field for the server, enter {address}.',
        'Enter your user name and password and, if asked, a name for the device.',
      ],
      plain: '',
    },
  },
  waiting: 'Waiting for the app…',
  waitingText: 'You will see it here when the app syncs for the first time.',
  offline: 'The server does not answer at the moment. Still trying…',
  made: '{device} has made contact.',
  madeText: 'The app is connected. Its podcasts appear here after its first sync.',
  toDevices: 'To your devices',
}

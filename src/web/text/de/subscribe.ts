export const subscribe = {
  subscribe: 'Abonnieren',
  subscribed: 'Abonniert',
  onSome: '{n} von {all} Geräten',
  choose: 'Welche Geräte bekommen „{title}“?',
  chooseLead: 'Sie holen ihn sich beim nächsten Abgleich.',
  inStep: 'Eine Liste: Diese Geräte laufen im Gleichschritt.',
  everywhere: 'Abbestellen',
  done: '„{title}“ ist auf all deinen Geräten.',
  changed: 'Deine Auswahl für „{title}“ ist gespeichert.',
  ended: 'Du hast „{title}“ nicht mehr abonniert.',
  noDevice: 'Du hast noch kein Gerät',
  noDeviceLead:
    'Abos gehören zu Geräten. Verbinde eine App, sie bringt eines mit. Oder lege diesen Podcast vorerst auf einem Gerät namens „web“ ab; eine App kann ihn später übernehmen.',
  makeDevice: 'Gerät „web“ verwenden',
  connect: 'App verbinden',
}

export const subscribe = {
  subscribe: 'Iscriviti',
  subscribed: 'Iscritto',
  onSome: '{n} di {all} dispositivi',
  choose: 'Quali dispositivi ricevono «{title}»?',
  chooseLead: 'Lo prendono alla prossima sincronizzazione.',
  inStep: 'Un’unica lista: questi dispositivi vanno di pari passo.',
  everywhere: 'Annulla l’iscrizione',
  done: '«{title}» è su tutti i tuoi dispositivi.',
  changed: 'La tua scelta per «{title}» è stata salvata.',
  ended: 'Non sei più iscritto a «{title}».',
  noDevice: 'Non hai ancora un dispositivo',
  noDeviceLead:
    'Le iscrizioni appartengono ai dispositivi. Collega un’app e ne porta uno con sé. Oppure tieni per ora questo podcast su un dispositivo chiamato «web»; un’app potrà riprenderlo più tardi.',
  makeDevice: 'Usa un dispositivo «web»',
  connect: 'Collega un’app',
}

export const subscribe = {
  subscribe: 'Suscribirse',
  subscribed: 'Suscrito',
  onSome: '{n} de {all} dispositivos',
  choose: '¿Qué dispositivos reciben «{title}»?',
  chooseLead: 'Lo recogen en su próxima sincronización.',
  inStep: 'Una sola lista: estos dispositivos van a la par.',
  everywhere: 'Cancelar la suscripción',
  done: '«{title}» está en todos tus dispositivos.',
  changed: 'Tu elección para «{title}» está guardada.',
  ended: 'Ya no estás suscrito a «{title}».',
  noDevice: 'Aún no tienes ningún dispositivo',
  noDeviceLead:
    'Las suscripciones pertenecen a dispositivos. Conecta una app y traerá el suyo. O guarda este pódcast por ahora en un dispositivo llamado «web»; una app podrá recogerlo más adelante.',
  makeDevice: 'Usar un dispositivo «web»',
  connect: 'Conectar una app',
}

import type { Forms } from '../fill.ts'

export const upgrades = {
  title: 'Paso a HTTPS',
  lead: 'Estos pódcasts te llegan sin cifrar, aunque también existen cifrados. Nada cambia si tú no lo dices.',
  whatTitle: 'Qué ocurre',
  what: 'En su próxima sincronización, tus dispositivos reciben la dirección nueva y pierden la antigua. Algunas apps lo toman por un pódcast nuevo: lo descargado puede borrarse y los episodios pueden parecer no escuchados.',
  noUndo: 'Aquí no se puede deshacer.',
  one: 'Pasar a HTTPS',
  all: 'Pasar todos a HTTPS',
  confirmTitle: { one: '¿Pasar {n} pódcast a HTTPS?', other: '¿Pasar {n} pódcasts a HTTPS?' } as Forms,
  to: 'a',
  waiting: 'Pasando a HTTPS…',
  done: { one: 'Hecho en {n} dispositivo', other: 'Hecho en {n} dispositivos' } as Forms,
  failed: 'No se ha podido: {message}',
  progress: '{done} de {total}',
  leave: 'Mientras tanto puedes salir de esta página.',
  allDone: 'Ahora todos llegan cifrados.',
  finished: { one: '{n} pódcast llega ahora cifrado.', other: '{n} pódcasts llegan ahora cifrados.' } as Forms,
  movedTitle: 'Direcciones nuevas',
  moved:
    'Estos pódcasts dicen que se han mudado para siempre. Las direcciones antiguas suelen dejar de funcionar al cabo de un tiempo.',
  follow: 'Usar la dirección nueva',
  followTitle: '¿Usar la dirección nueva de este pódcast?',
  followed: 'El pódcast tiene su dirección nueva.',
  emptyTitle: 'Más seguro no puede ser',
  empty:
    'Los pódcasts con una dirección http:// llegan sin cifrar: otros pueden verlos y alterarlos por el camino. Cuando el mismo feed existe también por https://, se ofrece aquí.',
  toPodcasts: 'A tus pódcasts',
}

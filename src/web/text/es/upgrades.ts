import type { Forms } from '../fill.ts'

export const upgrades = {
  title: 'Paso a HTTPS',
  lead: 'Estos pódcasts te llegan sin cifrar, aunque también existen cifrados. Nada cambia si tú no lo dices.',
  whatTitle: 'Qué ocurre',
  what: 'En su próxima sincronización, tus dispositivos reciben la dirección nueva y pierden la antigua. Algunas apps lo toman por un pódcast nuevo: lo descargado puede borrarse y los episodios pueden parecer no escuchados.',
  noUndo: 'En esta página no hay vuelta atrás.',
  one: 'Cambiar',
  all: 'Cambiar todos',
  confirmTitle: { one: '¿Cambiar {n} pódcast?', other: '¿Cambiar {n} pódcasts?' } as Forms,
  to: 'a',
  waiting: 'Cambiando …',
  done: { one: 'Cambiado en {n} dispositivo', other: 'Cambiado en {n} dispositivos' } as Forms,
  failed: 'No se ha cambiado: {message}',
  progress: '{done} de {total}',
  leave: 'Mientras tanto puedes salir de esta página.',
  finished: { one: '{n} pódcast llega ahora cifrado.', other: '{n} pódcasts llegan ahora cifrados.' } as Forms,
  emptyTitle: 'Más seguro no puede ser',
  empty:
    'Los pódcasts con una dirección http:// llegan sin cifrar: otros pueden verlos y alterarlos por el camino. Cuando el mismo feed existe también por https://, se ofrece aquí.',
  toPodcasts: 'A tus pódcasts',
}

import type { Forms } from '../fill.ts'

export const upgrades = {
  title: 'Umstellung auf HTTPS',
  lead: 'Diese Podcasts kommen unverschlüsselt zu dir, obwohl es sie auch verschlüsselt gibt. Ohne dein Zutun ändert sich nichts.',
  whatTitle: 'Was passiert',
  what: 'Deine Geräte bekommen beim nächsten Abgleich die neue Adresse und verlieren die alte. Manche Apps halten das für einen neuen Podcast: Downloads können gelöscht werden, und Folgen können ungehört aussehen.',
  noUndo: 'Das lässt sich hier nicht rückgängig machen.',
  one: 'Umstellen',
  all: 'Alle umstellen',
  confirmTitle: { one: '{n} Podcast umstellen?', other: '{n} Podcasts umstellen?' } as Forms,
  to: 'auf',
  waiting: 'Wird umgestellt …',
  done: { one: 'Auf {n} Gerät umgestellt', other: 'Auf {n} Geräten umgestellt' } as Forms,
  failed: 'Nicht umgestellt: {message}',
  progress: '{done} von {total} umgestellt',
  leave: 'Du kannst die Seite inzwischen verlassen.',
  allDone: 'Alle kommen jetzt verschlüsselt.',
  finished: {
    one: '{n} Podcast kommt jetzt verschlüsselt.',
    other: '{n} Podcasts kommen jetzt verschlüsselt.',
  } as Forms,
  movedTitle: 'Neue Adressen',
  moved:
    'Diese Podcasts sagen, dass sie für immer umgezogen sind. Alte Adressen funktionieren oft nach einer Weile nicht mehr.',
  follow: 'Neue Adresse nehmen',
  followTitle: 'Die neue Adresse dieses Podcasts nehmen?',
  followed: 'Der Podcast hat seine neue Adresse.',
  emptyTitle: 'Sicherer geht es nicht',
  empty:
    'Podcasts mit einer http://-Adresse kommen unverschlüsselt: Andere können sie unterwegs sehen und verändern. Gibt es denselben Feed auch mit https://, wird er hier angeboten.',
  toPodcasts: 'Zu deinen Podcasts',
}

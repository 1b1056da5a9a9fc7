import type { Forms } from '../fill.ts'

export const upgrades = {
  title: 'Passage en HTTPS',
  lead: 'Ces podcasts te parviennent sans chiffrement, alors qu’ils existent aussi chiffrés. Rien ne change sans ton accord.',
  whatTitle: 'Ce qui se passe',
  what: 'À leur prochaine synchronisation, tes appareils reçoivent la nouvelle adresse et perdent l’ancienne. Certaines applis y voient un nouveau podcast : leurs téléchargements peuvent être effacés et des épisodes sembler non écoutés.',
  noUndo: 'Impossible de l’annuler ici.',
  one: 'Passer en HTTPS',
  all: 'Tout passer en HTTPS',
  confirmTitle: { one: 'Passer {n} podcast en HTTPS ?', other: 'Passer {n} podcasts en HTTPS ?' } as Forms,
  to: 'à',
  waiting: 'Passage en cours…',
  done: { one: 'Fait sur {n} appareil', other: 'Fait sur {n} appareils' } as Forms,
  failed: 'Échec : {message}',
  progress: '{done} sur {total}',
  leave: 'Tu peux quitter cette page entre-temps.',
  allDone: 'Tous arrivent désormais chiffrés.',
  finished: {
    one: '{n} podcast arrive désormais chiffré.',
    other: '{n} podcasts arrivent désormais chiffrés.',
  } as Forms,
  movedTitle: 'Nouvelles adresses',
  moved:
    'Ces podcasts disent avoir déménagé pour de bon. Les anciennes adresses cessent souvent de fonctionner au bout d’un moment.',
  follow: 'Prendre la nouvelle adresse',
  followTitle: 'Prendre la nouvelle adresse de ce podcast ?',
  followed: 'Le podcast a sa nouvelle adresse.',
  emptyTitle: 'On ne peut pas faire plus sûr',
  empty:
    'Les podcasts dont l’adresse commence par http:// arrivent sans chiffrement : d’autres peuvent les voir et les modifier en chemin. Quand le même flux existe aussi en https://, il est proposé ici.',
  toPodcasts: 'Vers tes podcasts',
}

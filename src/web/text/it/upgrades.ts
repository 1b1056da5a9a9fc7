import type { Forms } from '../fill.ts'

export const upgrades = {
  title: 'Passaggio a HTTPS',
  lead: 'Questi podcast ti arrivano non cifrati, anche se esistono pure cifrati. Nulla cambia senza il tuo consenso.',
  whatTitle: 'Che cosa succede',
  what: 'Alla prossima sincronizzazione i tuoi dispositivi ricevono il nuovo indirizzo e perdono il vecchio. Alcune app lo prendono per un podcast nuovo: i download possono essere cancellati e gli episodi possono sembrare non ascoltati.',
  noUndo: 'Qui non si può annullare.',
  one: 'Passa a HTTPS',
  all: 'Passa tutti a HTTPS',
  confirmTitle: { one: 'Passare {n} podcast a HTTPS?', other: 'Passare {n} podcast a HTTPS?' } as Forms,
  to: 'a',
  waiting: 'Passaggio in corso…',
  done: { one: 'Fatto su {n} dispositivo', other: 'Fatto su {n} dispositivi' } as Forms,
  failed: 'Non riuscito: {message}',
  progress: '{done} di {total}',
  leave: 'Intanto puoi lasciare questa pagina.',
  allDone: 'Ora arrivano tutti cifrati.',
  finished: { one: '{n} podcast ora arriva cifrato.', other: '{n} podcast ora arrivano cifrati.' } as Forms,
  movedTitle: 'Nuovi indirizzi',
  moved:
    'Questi podcast dicono di essersi trasferiti per sempre. I vecchi indirizzi spesso dopo un po’ smettono di funzionare.',
  follow: 'Usa il nuovo indirizzo',
  followTitle: 'Usare il nuovo indirizzo di questo podcast?',
  followed: 'Il podcast ha il suo nuovo indirizzo.',
  emptyTitle: 'Più sicuro di così non si può',
  empty:
    'I podcast con un indirizzo http:// arrivano non cifrati: altri possono vederli e modificarli lungo il percorso. Quando lo stesso feed esiste anche in https://, viene proposto qui.',
  toPodcasts: 'Ai tuoi podcast',
}

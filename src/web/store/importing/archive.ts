import { signal } from '@preact/signals'
import { accountKey } from '../paths.ts'
import { onUserChange } from '../resource.ts'
import { ownName } from '../session.ts'
import type { OwnPodcast } from '../subscriptions.ts'

/** Podcasts of one import from which on their older episodes are asked about. */
const MANY = 5

/** The value of `undecidedImport`; undefined until something has changed it. */
const started = signal<string | undefined>(undefined)

onUserChange(() => {
  started.value = undefined
})

const key = () => accountKey('archive', ownName())

/** Remembers that an import has brought so many podcasts since `time`, as the API writes it. */
export function noteImport(podcasts: number, time: string): void {
  if (podcasts < MANY) return
  localStorage.setItem(key(), time)
  started.value = time
}

/** The beginning of the import whose older episodes the user has not decided about; '' without one. */
export function undecidedImport(): string {
  return started.value ?? localStorage.getItem(key()) ?? ''
}

/** Ends the question. */
export function decideImport(): void {
  localStorage.removeItem(key())
  started.value = ''
}

/** The podcasts that came since and have older unplayed episodes; none as long as some of them are being loaded. */
export function archiveSince(
  time: string,
  podcasts: readonly OwnPodcast[],
  counts: ReadonlyMap<string, { readonly unplayed: number; readonly new: number }>,
): readonly string[] {
  const came = podcasts.filter(({ added }) => added >= time)
  if (came.some(({ health }) => health.state === 'new')) return []
  const hasOlder = ({ url }: OwnPodcast) => (counts.get(url)?.unplayed ?? 0) > (counts.get(url)?.new ?? 0)
  return came.filter(hasOlder).map(({ url }) => url)
}

import { signal } from '@preact/signals'
import { accountKey } from '../paths.ts'
import { onUserChange } from '../resource.ts'
import { ownName } from '../session.ts'
import type { OwnPodcast } from '../subscriptions.ts'

/** Minimum number of imported podcasts for asking about their older episodes. */
const PODCASTS_MIN = 5

/** Value of `undecidedImport`; undefined until it changes in this tab. */
const started = signal<string | undefined>(undefined)

onUserChange(() => {
  started.value = undefined
})

const key = () => accountKey('archive', ownName())

/** Stores the start of an import, in the API's format, if it has added enough podcasts to ask about. */
export function noteImport(podcasts: number, time: string): void {
  if (podcasts < PODCASTS_MIN) return
  localStorage.setItem(key(), time)
  started.value = time
}

/** Returns the start of the import whose older episodes are still to be decided on; '' without one. */
export function undecidedImport(): string {
  return started.value ?? localStorage.getItem(key()) ?? ''
}

/** Records that the user has decided. */
export function decideImport(): void {
  localStorage.removeItem(key())
  started.value = ''
}

/** Returns the podcasts added since that have older unplayed episodes. Empty until all of them are fetched. */
export function archiveSince(
  time: string,
  podcasts: readonly OwnPodcast[],
  counts: ReadonlyMap<string, { readonly unplayed: number; readonly new: number }>,
): readonly string[] {
  const recent = podcasts.filter(({ added }) => added >= time)
  if (recent.some(({ health }) => health.state === 'new')) return []
  const hasOlder = ({ url }: OwnPodcast) => (counts.get(url)?.unplayed ?? 0) > (counts.get(url)?.new ?? 0)
  return recent.filter(hasOlder).map(({ url }) => url)
}

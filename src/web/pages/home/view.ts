import { effect, signal } from '@preact/signals'
import { persistedSignal } from '../../store/preferences.ts'
import { account } from '../../store/session.ts'
import { devices } from '../../store/subscriptions.ts'

/** What arranging has to know of a podcast. */
export interface SortablePodcast {
  readonly title: string
  readonly author: string
  readonly url: string
  readonly devices: readonly string[]
  /** UTC; '' if unknown. */
  readonly added: string
  readonly newest_release: string
}

type SortKey = 'title' | 'newest' | 'added'

export interface ListOptions {
  readonly sortKey: SortKey
  /** As typed. */
  readonly filter: string
  /** Only what this device has; '' for all. */
  readonly device: string
}

/** Those that the filter and the device leave, in order: by title, or the latest first with unknown times last. */
export function filterAndSort<P extends SortablePodcast>(
  podcasts: readonly P[],
  { sortKey: order, filter, device }: ListOptions,
  locale: string,
): P[] {
  const words = fold(filter).split(/\s+/).filter(Boolean)
  const collator = new Intl.Collator(locale, { sensitivity: 'base', numeric: true })
  const byTitle = (a: P, b: P) => collator.compare(a.title, b.title) || (a.url < b.url ? -1 : 1)
  const byTime = (key: 'newest_release' | 'added') => (a: P, b: P) =>
    a[key] === b[key] ? byTitle(a, b) : a[key] < b[key] ? 1 : -1
  return podcasts
    .filter((podcast) => device === '' || podcast.devices.includes(device))
    .filter((podcast) => {
      const text = fold(`${podcast.title} ${podcast.author}`)
      return words.every((word) => text.includes(word))
    })
    .sort(order === 'title' ? byTitle : byTime(order === 'newest' ? 'newest_release' : 'added'))
}

/** Case and accents do not matter. */
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
}

export const SORT_KEYS = ['title', 'newest', 'added'] as const
export const VIEWS = ['grid', 'list'] as const

export const sortKey = persistedSignal<SortKey>('home.order', SORT_KEYS, 'title')
export const view = persistedSignal<(typeof VIEWS)[number]>('home.view', VIEWS, 'grid')

/** As typed; for the visit, so that it is still there when somebody comes back from a podcast. */
export const filter = signal('')
/** ID of the device whose podcasts are shown; '' for all. For the visit, too. */
export const device = signal('')

// They are nobody else's.
effect(() => {
  if (!account.value) showAll()
})

/** `device`, unless it has been removed since it was chosen. */
export function chosenDevice(): string {
  return devices.value?.some(({ id }) => id === device.value) ? device.value : ''
}

export function showAll(): void {
  filter.value = ''
  device.value = ''
}

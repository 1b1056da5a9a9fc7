import { computed, effect, signal } from '@preact/signals'
import { feedName } from '../../components/podcast/artwork.tsx'
import { language } from '../../locales/index.ts'
import { unplayed } from '../../store/episodes/lists.ts'
import { ownPodcastDevices } from '../../store/own-device.ts'
import { persistedSignal } from '../../store/preferences.ts'
import { account } from '../../store/session.ts'
import { deviceSets, groups, type OwnPodcast, ownPodcasts, subscribedDevices } from '../../store/subscriptions.ts'
import { folders } from '../../store/sync/folders.ts'
import { keepUnchanged, matching, type SortKey, sortPodcasts, toSearchable } from './list.ts'

export const SORT_KEYS = ['title', 'newest', 'unplayed', 'added'] as const satisfies readonly SortKey[]
export const VIEWS = ['grid', 'list'] as const

export const sortKey = persistedSignal<SortKey>('home.order', SORT_KEYS, 'title')
export const view = persistedSignal<(typeof VIEWS)[number]>('home.view', VIEWS, 'grid')

/** Text of the filter. It is kept while the client is open, so that it is still set when the user returns. */
export const filter = signal('')
/** ID of the device whose podcasts are shown; '' for all. Kept like `filter`. */
export const device = signal('')
/** ID of the folder whose podcasts are shown; '' for all. Kept like `filter`. */
export const folder = signal('')
/** Whether the user has opened filter, order and view on a narrow screen, which hides them by default. */
export const areToolsOpen = signal(false)
/** Feed URLs of the selected podcasts; undefined unless podcasts are being selected. */
export const selected = signal<ReadonlySet<string> | undefined>(undefined)

let before: readonly OwnPodcast[] = []

/** The user's podcasts with display names; undefined until they are loaded. */
export const podcasts = computed(() => {
  if (!ownPodcasts.value) return undefined
  const named = ownPodcasts.value
    // The list may be older than `subscribedDevices`, which already reflects podcasts unsubscribed since.
    .filter(({ url }) => (subscribedDevices.value?.get(url)?.size ?? 1) > 0)
    .map((podcast) => ({ ...podcast, title: feedName(podcast) }))
  before = keepUnchanged(before, named)
  return before
})

/** Devices to choose from, grouped by the list they share. */
export const choosableDevices = computed(() => deviceSets(ownPodcastDevices.value ?? [], groups.value))

/** ID of the first device that shares the list of `device`; '' if `device` has been deleted since. */
export const chosenDevice = computed(
  () => choosableDevices.value.find((set) => set.some(({ id }) => id === device.value))?.[0]?.id ?? '',
)

/** The chosen folder; undefined for all folders, or if it has been removed since. */
export const chosenFolder = computed(() => folders.value?.find(({ id }) => String(id) === folder.value))

const searchable = computed(() => toSearchable(podcasts.value ?? []))

/** Prepares the search texts; with a thousand podcasts, the first keystroke would otherwise take twice as long. */
export function prepareFilter(): void {
  setTimeout(() => {
    for (const { text } of searchable.peek()) text()
  })
}

/** Feed URLs of the podcasts that match the filter, the chosen device and the chosen folder. */
export const shown = computed(() => matching(searchable.value, filter.value, chosenDevice.value, chosenFolder.value))

/** Whether any podcast is filtered out. */
export const isFiltered = computed(() => shown.value.size < searchable.value.length)

/** All podcasts, sorted. */
export const sorted = computed(() =>
  // Only this order depends on the counts, which change often.
  sortKey.value === 'unplayed'
    ? sortPodcasts(podcasts.value ?? [], 'unplayed', language.value, unplayed.value.value)
    : sortPodcasts(podcasts.value ?? [], sortKey.value, language.value),
)

/** The podcasts of `sorted` that match the filters. */
export const found = computed(() => sorted.value.filter(({ url }) => shown.value.has(url)))

// Another user must not inherit the filter.
effect(() => {
  if (account.value) return
  showAll()
  selected.value = undefined
})

export function showAll(): void {
  filter.value = ''
  device.value = ''
  folder.value = ''
}

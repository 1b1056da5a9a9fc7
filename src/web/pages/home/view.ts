import { computed, effect, signal } from '@preact/signals'
import { feedName } from '../../components/podcast/artwork.tsx'
import { language } from '../../locales/index.ts'
import { unplayed } from '../../store/episodes/lists.ts'
import { ownPodcastDevices } from '../../store/own-device.ts'
import { persistedSignal } from '../../store/preferences.ts'
import { account } from '../../store/session.ts'
import { deviceSets, groups, holders, type OwnPodcast, ownPodcasts } from '../../store/subscriptions.ts'
import { folders } from '../../store/sync/folders.ts'
import { keepUnchanged, matching, type SortKey, sortPodcasts, toSearchable } from './list.ts'

export const SORT_KEYS = ['title', 'newest', 'unplayed', 'added'] as const satisfies readonly SortKey[]
export const VIEWS = ['grid', 'list'] as const

export const sortKey = persistedSignal<SortKey>('home.order', SORT_KEYS, 'title')
export const view = persistedSignal<(typeof VIEWS)[number]>('home.view', VIEWS, 'grid')

/** The text of the filter. It is kept while the client is open, for when the user returns from a podcast. */
export const filter = signal('')
/** The ID of the device whose podcasts are shown, '' for all. It is kept like `filter`. */
export const device = signal('')
/** The ID of the folder whose podcasts are shown, '' for all. It is kept like `filter`. */
export const folder = signal('')
/** Whether filter, order and view are wanted where there is no room for them at all times. */
export const areToolsOpen = signal(false)
/** The feed URLs of those selected; undefined unless podcasts are being selected. */
export const selected = signal<ReadonlySet<string> | undefined>(undefined)

let before: readonly OwnPodcast[] = []

/** The user's podcasts with names that can be read; undefined until they are loaded. */
export const podcasts = computed(() => {
  if (!ownPodcasts.value) return undefined
  const named = ownPodcasts.value
    // The list may be older than `holders`, which knows what has been unsubscribed meanwhile.
    .filter(({ url }) => (holders.value?.get(url)?.size ?? 1) > 0)
    .map((podcast) => ({ ...podcast, title: feedName(podcast) }))
  before = keepUnchanged(before, named)
  return before
})

/** The devices to choose among, by the lists they share. */
export const choosableDevices = computed(() => deviceSets(ownPodcastDevices.value ?? [], groups.value))

/** The first of the devices that share the list of `device`, or '' if that has been deleted since it was chosen. */
export const chosenDevice = computed(
  () => choosableDevices.value.find((set) => set.some(({ id }) => id === device.value))?.[0]?.id ?? '',
)

/** The folder that is chosen, unless it has been removed since. */
export const chosenFolder = computed(() => folders.value?.find(({ id }) => String(id) === folder.value))

const searchable = computed(() => toSearchable(podcasts.value ?? []))

/** Makes the texts by which podcasts are found, of a thousand of which the first key would take twice as long. */
export function prepareFilter(): void {
  setTimeout(() => {
    for (const { text } of searchable.peek()) text()
  })
}

/** The feed URLs of those that the filter and the chosen device leave. */
export const shown = computed(() => matching(searchable.value, filter.value, chosenDevice.value, chosenFolder.value))

/** Whether the filter or the chosen device leave out any. */
export const isFiltered = computed(() => shown.value.size < searchable.value.length)

/** All podcasts in order. */
export const sorted = computed(() =>
  // Only one order needs the numbers, which change often.
  sortKey.value === 'unplayed'
    ? sortPodcasts(podcasts.value ?? [], 'unplayed', language.value, unplayed.value.value)
    : sortPodcasts(podcasts.value ?? [], sortKey.value, language.value),
)

/** Those of `sorted` that are shown. */
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

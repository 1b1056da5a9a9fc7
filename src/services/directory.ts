import { directoryOf, picturesOf } from '../adapters.ts'
import { createThumbnailer } from '../artwork/thumbnailer.ts'
import { createArtwork } from '../domain/directory/artwork.ts'
import { createDirectory, createOwnSearch, createSearch } from '../domain/directory/directory.ts'
import { createExternalDirectory } from '../domain/directory/external.ts'
import { createInbox } from '../domain/directory/inbox.ts'
import { createListening } from '../domain/directory/listening.ts'
import { createMarks } from '../domain/directory/marks.ts'
import { createMyEpisodes } from '../domain/directory/my-episodes.ts'
import { createPodcastLists } from '../domain/directory/podcast-lists.ts'
import { createMyPodcasts, createPodcasts } from '../domain/directory/podcasts.ts'
import { createQueue } from '../domain/directory/queue.ts'
import { createResolver } from '../domain/directory/resolving.ts'
import { createUpgradeProbe, createUpgrades } from '../domain/directory/upgrades.ts'
import { createHostQueue } from '../domain/shared/concurrency.ts'
import { createFolders } from '../domain/sync/folders.ts'
import { createLru } from '../platform/lru.ts'
import { type Base, HOUR, limit, MINUTE } from './base.ts'
import type { feedServices } from './feeds.ts'
import type { syncServices } from './sync.ts'

/** Sizes of in-memory caches: generous for a household, a few megabytes at most. */
const DIRECTORY_ANSWERS_MAX = 500
const FAILED_PICTURES_MAX = 10_000

/** Per podcast: more than a user sees while reading a long list of episodes. */
const EPISODE_PICTURES_PER_HOUR = 300

export function directoryServices(
  base: Base,
  { sources, services: { feeds, feedChapters }, fetchNew, onDemand }: ReturnType<typeof feedServices>,
  { subscriptions, episodeActions }: ReturnType<typeof syncServices>,
) {
  const { config, store, background, clock, log, version } = base
  const lookup = createPodcasts({
    store: store.podcastStore,
    onDemand,
    mayFetch: config.outbound === 'off' ? 'off' : config.feedOnDemand,
    keptEpisodes: config.feedMaxEpisodes,
    clock,
  })
  const artwork = createArtwork({
    lookup,
    chapters: feedChapters,
    pictures: base.pictures ?? picturesOf(config, { version, clock, log }),
    thumbnailer: createThumbnailer(createHostQueue({ atOnce: 2, perHost: 2 })),
    queues: {
      podcast: createHostQueue({ atOnce: 4, perHost: 2, perFlow: 3 }),
      anonymous: createHostQueue({ atOnce: 2, perHost: 2, perFlow: 1 }),
      episode: createHostQueue({ atOnce: 2, perHost: 2 }),
    },
    ofPodcast: limit(base, EPISODE_PICTURES_PER_HOUR, HOUR),
    failures: createLru(FAILED_PICTURES_MAX, clock),
    background,
    clock,
    log,
  })
  const externalDirectory = createExternalDirectory({
    directory: directoryOf(config, version, clock),
    searches: createLru(DIRECTORY_ANSWERS_MAX, clock, 10 * MINUTE),
    trends: createLru(DIRECTORY_ANSWERS_MAX, clock, HOUR),
    requests: limit(base, 60, MINUTE),
    tests: limit(base, 10, MINUTE),
    clock,
    log,
  })
  const probe = createUpgradeProbe({
    store: store.upgrades,
    source: sources.scheduled,
    queue: createHostQueue({ atOnce: 2, perHost: 1 }),
    clock,
    log,
    isOff: config.outbound === 'off',
  })
  return {
    probe,
    lookup,
    artwork,
    externalDirectory,
    podcastLists: createPodcastLists(store.podcastLists, clock),
    directory: createDirectory(store.directory),
    resolver: createResolver({
      lookup,
      external: externalDirectory,
      requests: limit(base, 30, MINUTE),
      isOff: config.outbound === 'off',
    }),
    search: createSearch({ store: store.directory, lookup, external: externalDirectory }),
    ownSearch: createOwnSearch(store.ownSearch),
    myEpisodes: createMyEpisodes(store.myEpisodes, subscriptions),
    inbox: createInbox(store.inbox),
    queue: createQueue(store.episodeQueue, clock),
    marks: createMarks({ store: store.marks, episodeActions, clock }),
    folders: createFolders(store.folders),
    myPodcasts: createMyPodcasts({
      store: store.myPodcasts,
      feeds,
      ofUser: limit(base, 10, MINUTE),
      ofFeed: limit(base, 1, MINUTE),
      clock,
    }),
    listening: createListening(store.listening, clock),
    upgrades: createUpgrades({ store: store.upgrades, artwork, fetchNew, clock }),
  }
}

import type { FeedEpisode, FingerprintedEpisode } from '../domain/feeds/document.ts'
import { quickHash } from '../platform/crypto.ts'

export interface EpisodeNames {
  readonly urls: ReadonlySet<string>
  readonly guids: ReadonlySet<string>
  readonly sharedGuids: ReadonlySet<string>
}

export function namesOf(episodes: Iterable<Pick<FeedEpisode, 'url' | 'guid'>>): EpisodeNames {
  const urls = new Set<string>()
  const owners = new Map<string, string>()
  const sharedGuids = new Set<string>()
  for (const { url, guid } of episodes) {
    urls.add(url)
    if ((owners.get(guid) ?? url) !== url) sharedGuids.add(guid)
    owners.set(guid, url)
  }
  return { urls, guids: new Set(owners.keys()), sharedGuids }
}

export function joinNames(one: EpisodeNames, other: EpisodeNames): EpisodeNames {
  return {
    urls: one.urls.union(other.urls),
    guids: one.guids.union(other.guids),
    sharedGuids: one.sharedGuids.union(other.sharedGuids),
  }
}

export function isName(guid: string, { sharedGuids }: EpisodeNames): boolean {
  return guid !== '' && !sharedGuids.has(guid)
}

export function createFingerprints(storedJson: string, names: EpisodeNames) {
  const { contents, moved, hasStored } = storedEpisodes(storedJson, names)
  return {
    /** Returns the episode with the fingerprint to store; `undefined` if it is already stored unchanged. */
    changed(episode: FeedEpisode): FingerprintedEpisode | undefined {
      const { url, guid, ...rest } = episode
      const name = isName(guid, names) ? quickHash(guid) : ''
      // Query strings may be signed or counted per fetch. A guid identifies the episode without them.
      const address = name === '' ? url : url.replace(/\?.*/s, '')
      // No text of an episode contains a NUL.
      const content = `${name}.${quickHash([address, guid, ...Object.values(rest)].join('\0'))}`
      if (contents.has(content)) return undefined
      return { ...episode, fingerprint: `${content}.${quickHash(url)}`, inPlaceOf: moved.get(name) }
    },
    hasStored,
  }
}

function storedEpisodes(storedJson: string, { urls, guids }: EpisodeNames) {
  const stored: unknown = JSON.parse(storedJson)
  const here = new Set([...urls].map((url) => quickHash(url)))
  const contents = new Set<string>()
  const moved = new Map<string, number>()
  let isAddressHere = false
  for (const [number, fingerprint] of Object.entries(stored ?? {})) {
    const [name = '', content = '', address = ''] = String(fingerprint).split('.')
    contents.add(`${name}.${content}`)
    if (here.has(address)) isAddressHere = true
    else if (name !== '') moved.set(name, Number(number))
  }
  const hasStored = () => isAddressHere || guids.values().some((guid) => moved.has(quickHash(guid)))
  return { contents, moved, hasStored }
}

import { DomainError } from '../../../domain/shared/errors.ts'
import type { ImportRecord, ImportSource, SourcedRecord } from '../../../domain/transfer/records.ts'
import { createOutlineReader, feedOf, isEpisode, type Outline } from '../../../formats/opml.ts'
import type { Lenience } from '../../../formats/xml-scan.ts'
import { decodeText } from '../../../platform/decode-text.ts'
import { copyOf, isTooLongForAddress, titleStart } from '../../texts.ts'
import {
  actionOf,
  createActionBatch,
  createFeedBatch,
  createFolderBatch,
  createSkipped,
  firstTime,
  numberOf,
} from './history.ts'
import { LIST, type ListFile, openList, textOf } from './list-file.ts'

const AROUND_MAX = 100

const COMMENT_OR_INSTRUCTION = /<!--[\s\S]*?(?:-->|$)|<\?[\s\S]*?(?:\?>|$)/g

export function isOpml(head: Uint8Array): boolean {
  const start = decodeText(head).trimStart()
  const text = start.replaceAll(COMMENT_OR_INSTRUCTION, '')
  return start.startsWith('<') && (/<(?:opml|outline)[\s>]/i.test(text) || !/<[a-z_]/i.test(text))
}

/** Opens OPML, or Overcast's "All data" with episodes inside podcasts. Reads the file three times; skips damage. */
export function openOpml(path: string, name: string, now: () => number): ImportSource {
  return openList(path, name, async function* (list) {
    const file: OpmlFile = { ...list, endless: new Map() }
    const { isOvercast, namesSubscribed, damage } = await check(file)
    const device = isOvercast ? OVERCAST : LIST
    yield { record: { kind: 'device', ...device } }
    if (damage.lines > 0) yield { record: damageRecord(damage) }
    yield* readFeeds(file, device.id, namesSubscribed)
    // Overcast's outlines separate podcasts from playlists, and are not folders.
    if (!isOvercast) yield* readFolders(file)
    yield* readEpisodes(file, device.id, now())
  })
}

const OVERCAST = { id: 'overcast', caption: 'Overcast', type: 'mobile' } as const
type OpmlFile = ListFile & Pick<Lenience, 'endless'>

/** Yields outlines in order, a batch per piece of the file. Copy strings that outlive the batch. */
async function* outlinesOf(
  file: OpmlFile,
  onDamage: (line: number) => void = () => undefined,
): AsyncGenerator<readonly Outline[]> {
  const reader = createOutlineReader({ onDamage, endless: file.endless })
  try {
    for await (const text of textOf(file)) yield reader.read(text)
    yield reader.end()
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    throw new DomainError('validation_failed', error.message.replace(/^the body/, 'the file'))
  }
}

interface Damage {
  lines: number
  first: number
  last: number
}

function damageRecord({ lines, first }: Damage): ImportRecord {
  const reason = 'the line is damaged; its readable part was imported'
  return { kind: 'skipped', what: 'subscriptions', reason, count: lines, examples: [`line ${first}`] }
}

/**
 * Reads the whole file, again after finding unterminated markup. Throws `validation_failed` if a damaged file has no
 * podcasts.
 */
async function check(file: OpmlFile): Promise<Checked> {
  const endlessBefore = file.endless.size
  const checked = await checkOnce(file)
  if (file.endless.size > endlessBefore) return check(file)
  if (checked.damage.lines > 0 && !checked.hasFeeds)
    throw new DomainError(
      'validation_failed',
      `the file is not well-formed XML, first in line ${checked.damage.first}, and no podcast could be read`,
    )
  return checked
}

interface Checked {
  readonly isOvercast: boolean
  readonly namesSubscribed: boolean
  readonly hasFeeds: boolean
  readonly damage: Damage
}

async function checkOnce(file: OpmlFile): Promise<Checked> {
  let isOvercast = false
  let namesSubscribed = false
  let hasFeeds = false
  const damage: Damage = { lines: 0, first: 0, last: 0 }
  function onDamage(line: number): void {
    if (line === damage.last) return
    damage.first ||= line
    damage.last = line
    damage.lines++
  }
  for await (const outlines of outlinesOf(file, onDamage))
    for (const outline of outlines) {
      hasFeeds ||= feedOf(outline) !== undefined
      isOvercast ||= outline.get('overcastid') !== undefined
      namesSubscribed ||= outline.get('subscribed') !== undefined && feedOf(outline) !== undefined
    }
  // The attribute may have another meaning in lists of other programs.
  return { isOvercast, namesSubscribed: isOvercast && namesSubscribed, hasFeeds, damage }
}

async function* readFeeds(file: OpmlFile, device: string, namesSubscribed: boolean): AsyncGenerator<SourcedRecord> {
  const feeds = createFeedBatch(device)
  const skipped = createSkipped()
  for await (const outlines of outlinesOf(file))
    for (const outline of outlines) {
      const feed = feedOf(outline)
      if (!feed) continue
      const { url, title } = feed
      if (namesSubscribed && outline.get('subscribed') !== '1')
        skipped.add('subscriptions', 'not subscribed to in Overcast', title ?? url)
      else if (isTooLongForAddress(url)) skipped.add('subscriptions', 'the address is too long', url)
      else yield* feeds.add({ url: copyOf(url), title: title && titleStart(title) })
    }
  yield* feeds.flush()
  yield* skipped.records()
}

/** Reads outlines around podcasts as folders; the innermost counts. */
async function* readFolders(file: OpmlFile): AsyncGenerator<SourcedRecord> {
  const folders = createFolderBatch()
  const around: { readonly depth: number; readonly name: string }[] = []
  let isAnyOutside = false
  for await (const outlines of outlinesOf(file))
    for (const outline of outlines) {
      while ((around.at(-1)?.depth ?? -1) >= outline.depth) around.pop()
      const feed = feedOf(outline)
      const name = around.at(-1)?.name ?? ''
      if (feed && name === '') isAnyOutside = true
      else if (feed && !isTooLongForAddress(feed.url)) folders.add(name, copyOf(feed.url))
      else if (!feed)
        around.push({ depth: outline.depth, name: titleStart(outline.get('text') ?? outline.get('title') ?? '') })
      if (around.length > AROUND_MAX) around.shift()
    }
  // Some apps write one outline around all podcasts.
  if (isAnyOutside || !folders.isOnly(WRAPPER)) yield* folders.records()
}

const WRAPPER = /^(?:feeds|subscriptions|podcasts)$/i

async function* readEpisodes(file: OpmlFile, device: string, now: number): AsyncGenerator<SourcedRecord> {
  const history = createActionBatch()
  const around = createPodcastsAround()
  for await (const outlines of outlinesOf(file))
    for (const outline of outlines) {
      const podcast = around.podcastOf(outline)
      if (!isEpisode(outline.get)) continue
      const { playback, favorite } = readEpisode(podcast, outline.get, now)
      if (favorite) yield { record: favorite }
      if (playback) yield* history.add(actionOf(playback, device))
    }
  yield* history.flush()
}

function createPodcastsAround() {
  const around: { readonly depth: number; readonly url: string }[] = []
  return {
    podcastOf(outline: Outline): string {
      while ((around.at(-1)?.depth ?? -1) >= outline.depth) around.pop()
      const podcast = around.at(-1)?.url ?? ''
      const feed = feedOf(outline)
      if (feed) around.push({ depth: outline.depth, url: copyAddress(feed.url) })
      // Without end tags, all podcasts of a list are nested.
      if (around.length > AROUND_MAX) around.shift()
      return podcast
    },
  }
}

/** Reads an episode of Overcast. Its files have no lengths, so played episodes have no position. */
function readEpisode(podcast: string, get: Outline['get'], now: number) {
  const isPlayed = get('played') === '1'
  const position = Math.floor(numberOf(Number(get('progress') ?? 0)))
  const episode = copyAddress(get('enclosureurl') ?? '')
  const at = firstTime(now, timeOf(get('userupdateddate')), timeOf(get('pubdate')))
  const starred = timeOf(get('userrecommendeddate'))
  const isStarred = get('userrecommendeddate') !== undefined && episode !== ''
  return {
    playback: isPlayed || position > 0 ? { podcast, episode, isPlayed, position, total: 0, at } : undefined,
    favorite: isStarred
      ? ({ kind: 'favorite', podcast, episode, at: starred > 0 ? starred : undefined } as const)
      : undefined,
  }
}

function copyAddress(text: string): string {
  return isTooLongForAddress(text) ? '' : copyOf(text)
}

/** Unix seconds of an ISO 8601 or RFC 2822 date; 0 if it is invalid. */
function timeOf(text = ''): number {
  const milliseconds = Date.parse(text)
  return Number.isNaN(milliseconds) ? 0 : Math.floor(milliseconds / 1000)
}

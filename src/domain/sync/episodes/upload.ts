import { isFinished, isRepeatedFinish, listenStateOf } from '../episode-actions.ts'
import type { EpisodeAction } from '../ports/episode-actions.ts'
import {
  type AddedAction,
  type Episode,
  type EpisodeBook,
  type EpisodeSource,
  latest,
  type Media,
  type Status,
  tellsState,
} from './book.ts'

/**
 * Returns a function that adds an action to the book as if all earlier ones were already stored, and returns whether
 * it was stored (docs/protocol.md#uploading-actions). A repeated "finished" (docs/protocol.md#D86) is stored only with
 * `keepsRepeats`, and so is an exact repeat that names another guid.
 */
export function createActionUpload(book: EpisodeBook, source: EpisodeSource, keepsRepeats: boolean) {
  /** Finds the row that an action belongs to. If the row has no guid, it gets the one of the action or of the feed. */
  function find(media: Media, guid: string | undefined): Episode | undefined {
    const { current } = media
    if (!current) return undefined
    if (current.guid === undefined) {
      const name = guid ?? media.feedGuid
      if (name !== undefined) book.rename(current, name)
      else if (!current.joined && media.hasAliases) book.joinMedia(media)
    }
    return guid === undefined || current.guid === guid ? current : book.former(media, guid)
  }

  function isRepeat(action: EpisodeAction, state: Status | undefined, rows: () => readonly Episode[]): boolean {
    return !keepsRepeats && isRepeatedFinish(action, state?.isFinished === true, () => wasLastFinished(action, rows()))
  }

  /** Whether the device's last `play` or `new` on these rows finished the episode. */
  function wasLastFinished(action: EpisodeAction, rows: readonly Episode[]): boolean {
    let last: AddedAction | undefined
    for (const { added } of rows) {
      const found = added.findLast((each) => isState(each.action) && isSameDevice(each.action, action))
      if (found && found.id > (last?.id ?? 0)) last = found
    }
    const stored = rows.flatMap(({ storedLastId }) => (storedLastId > 0 ? storedLastId : []))
    return last ? isFinished(last.action) : stored.length > 0 && source.wasLastFinished(action.device ?? '', stored)
  }

  /*
   * Exact repeats are looked for in the source first, even if the upload itself contains the action twice. A plan asks
   * about all of its actions at once this way; otherwise thousands of equal actions would need a plan each.
   */

  /** Looks for an exact repeat in all rows of the media URL, which may have been several episodes. */
  function isStoredAtMedia(action: EpisodeAction, media: Media): boolean {
    return source.isStoredAtMedia(action, media.id) || media.added.some(sameAs(action))
  }

  function isStored(action: EpisodeAction, episode: Episode): boolean {
    const { media, lastId, state } = episode
    if (lastId === 0) return false
    const comparesAll = media.hasFormer && (action.guid === undefined || !keepsRepeats)
    if (comparesAll && isStoredAtMedia(action, media)) return true
    // A `play` or `new` later than the last one cannot be a repeat, which saves the query for most uploads.
    if (isState(action) && !(state?.isState && action.at <= state.at)) return false
    return source.isStored(action, episode.id) || episode.added.some(sameAs(action))
  }

  function write(action: EpisodeAction, episode: Episode): boolean {
    if (isStored(action, episode)) return false
    const added = { id: source.nextAction(), episode, previousId: episode.lastId, action }
    book.changes.added.push(added)
    episode.added.push(added)
    episode.media.added.push(added)
    episode.lastId = added.id
    const status = statusOf(added)
    if (!episode.state || tellsState(status, episode.state)) episode.state = status
    book.changes.states.add(episode)
    const { joined, media } = episode
    if (joined) {
      if (!joined.state || tellsState(status, joined.state)) joined.state = status
      joined.mediaId = media.id
      book.changes.joins.add(joined)
    }
    if (episode.isFormer) book.makeCurrent(episode)
    return true
  }

  /** Adds an action on a media URL without a guid. The user may have the episode at another address of the podcast. */
  function addUnnamed(action: EpisodeAction, media: Media): boolean {
    const others = book.sameMedia(media)
    if (isRepeat(action, latest(others), () => others)) return false
    write(action, book.insert(media, undefined))
    book.joinMedia(media)
    return true
  }

  /** Adds an action on a media URL that is new to the user or has become another episode. */
  function addNew(action: EpisodeAction, media: Media): boolean {
    if (media.current && !keepsRepeats && isStoredAtMedia(action, media)) return false
    let guid = action.guid ?? media.feedGuid
    if (media.hasAliases) {
      if (guid !== undefined) book.nameMedia(media, guid)
      guid ??= book.guidOfMedia(media)
      if (guid === undefined) return addUnnamed(action, media)
    }
    if (guid === undefined || book.named(guid).length === 0) return write(action, book.insert(media, guid))
    const isShared = guid === media.feedGuid && media.isFeedGuidShared
    const others = isShared ? [] : book.elsewhere(media, guid)
    if (isRepeat(action, latest(others), () => others)) return false
    const episode = book.insert(media, guid)
    write(action, episode)
    book.join(guid, episode)
    return true
  }

  return (action: EpisodeAction, media: Media): boolean => {
    const episode = find(media, action.guid)
    if (!episode) return addNew(action, media)
    const { joined } = episode
    const rows = () => (joined ? book.membersOf(joined) : [episode])
    return !isRepeat(action, (joined ?? episode).state, rows) && write(action, episode)
  }
}

const isState = ({ kind }: EpisodeAction) => kind === 'play' || kind === 'new'

const isSameDevice = (one: EpisodeAction, other: EpisodeAction) => (one.device ?? '') === (other.device ?? '')

/** Matches added actions that repeat this one exactly (docs/protocol.md#D49). */
function sameAs(one: EpisodeAction) {
  return ({ action: other }: AddedAction): boolean =>
    one.at === other.at &&
    one.kind === other.kind &&
    isSameDevice(one, other) &&
    one.started === other.started &&
    one.position === other.position &&
    one.total === other.total
}

function statusOf({ id, action }: Pick<AddedAction, 'id' | 'action'>): Status {
  const { at } = action
  const progressAt = listenStateOf(action) === 'in_progress' ? at : undefined
  return { actionId: id, isState: isState(action), at, isFinished: isFinished(action), progressAt }
}

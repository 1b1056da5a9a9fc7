import { expect, test } from 'bun:test'
import type { PodcastId } from '../../../src/domain/shared/ids.ts'
import { createEpisodeBook, type EpisodeSource, type StoredMedia } from '../../../src/domain/sync/episodes/book.ts'
import { createActionUpload } from '../../../src/domain/sync/episodes/upload.ts'
import type { EpisodeAction } from '../../../src/domain/sync/ports/episode-actions.ts'

const PLAY = { podcast: 'https://a.example/f', episode: 'https://a.example/1.mp3', kind: 'play', total: 60 } as const
const ROW = { guid: undefined, isFormer: false, isHidden: false, joinedId: undefined }

/** The row of a media URL whose stored state is a play at second 100, at the end of the episode. */
const stored = (row: object = {}): StoredMedia => ({
  ...{ id: 1, podcastId: 1 as PodcastId, url: PLAY.episode, hasAliases: false, hasFormer: false },
  ...{ feedGuid: undefined, isFeedGuidShared: false },
  episode: {
    ...{ id: 1, lastId: 7, ...ROW },
    state: { actionId: 7, isState: true, at: 100, isFinished: false, progressAt: 100 },
  },
  ...row,
})

/** Plans an upload without any answers from the database, and returns the questions of the plan. */
function questions(media: StoredMedia, actions: readonly EpisodeAction[]): unknown[] {
  const asked: unknown[] = []
  let id = 7
  const source: EpisodeSource = {
    ...{ named: () => [], former: () => undefined, sameMedia: () => [], joined: () => undefined },
    ...{ members: () => [], related: () => [] },
    isStored: (action) => asked.push(action) < 0,
    isStoredAtMedia: (action) => asked.push(action) < 0,
    wasLastFinished: (device) => asked.push(device) < 0,
    ...{ nextAction: () => ++id, nextEpisode: () => ++id, nextJoin: () => ++id },
  }
  const book = createEpisodeBook(source)
  const add = createActionUpload(book, source, false)
  const taken = book.take(media)
  for (const action of actions) add(action, taken)
  return asked
}

/*
 * Plans are repeated until all questions are answered. If equal actions were asked about one after the other, an upload
 * of 50,000 of them would take minutes.
 */
test.each([
  ['a media URL', {}],
  ['a media URL that was several episodes', { hasFormer: true }],
])('one plan asks about all equal actions of %s', (_, media) => {
  const actions = [1, 2, 3].map((): EpisodeAction => ({ ...PLAY, at: 50, started: 0, position: 10 }))
  const asked = questions(stored(media), actions)
  expect(actions.map((action) => asked.includes(action))).toEqual([true, true, true])
})

test('marks of a device need one question about its last action', () => {
  const mark: EpisodeAction = { ...PLAY, at: 200, device: 'phone', started: 60, position: 60 }
  expect(questions(stored(), [mark])).toEqual(['phone'])
})

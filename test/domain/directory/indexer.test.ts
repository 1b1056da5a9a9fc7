import { describe, expect, test } from 'bun:test'
import { createIndexer } from '../../../src/domain/directory/indexer.ts'
import type { IndexStore } from '../../../src/domain/directory/ports/directory.ts'
import { CLASSIFIER_VERSION } from '../../../src/domain/directory/privacy.ts'
import { DomainError } from '../../../src/domain/shared/errors.ts'
import { createBackground } from '../../../src/platform/background.ts'
import { createLog } from '../../../src/platform/log.ts'
import { fakeClock } from '../../support/clock.ts'

interface Stored {
  /** Number of podcasts, with IDs from 1, that another version has classified. */
  readonly podcasts?: number
  readonly pending?: number
  readonly episodes?: number
  readonly pause?: () => Promise<void>
}

function open({ podcasts = 0, pending = 0, episodes = 0, pause }: Stored) {
  const done: string[] = []
  const disk: { isFull: boolean } = { isFull: false }
  const queue = { pending, episodes }
  let version: number | undefined
  const write = () => {
    if (disk.isFull) throw new DomainError('unavailable', 'the disk is full')
  }
  const store: IndexStore = {
    hasPending: async () => queue.pending > 0,
    async indexBatch(limit) {
      write()
      const count = Math.min(limit, queue.pending)
      done.push(`indexed ${count}`)
      queue.pending -= count
      return count
    },
    classifierVersion: async () => version,
    async saveClassifierVersion(saved) {
      write()
      done.push('saved')
      version = saved
    },
    async reclassify(id, limit) {
      if (id > 0) write()
      const last = Math.min(podcasts, id + limit)
      if (last === id) return undefined
      done.push(`classified ${id + 1} to ${last}`)
      return last
    },
    recordDailyStats: async () => undefined,
    removeOrphaned: async () => undefined,
    pruneVocabulary: async () => '',
    hasPendingEpisodes: async () => queue.episodes > 0,
    async indexEpisodes(limit) {
      write()
      const count = Math.min(limit, queue.episodes)
      done.push(`indexed ${count} episodes`)
      queue.episodes -= count
      return count
    },
    pruneEpisodeVocabulary: async () => '',
  }
  const failures: unknown[] = []
  const background = createBackground((error) => failures.push(error))
  const log = createLog({ level: 'error', format: 'json', write: () => undefined })
  const indexer = createIndexer({ store, background, clock: fakeClock(), log, pause })
  return { indexer, store, background, queue, done, disk, failures, version: () => version }
}

describe('podcasts are classified again', () => {
  test('in batches, to the end, and once', async () => {
    const { indexer, done, version } = open({ podcasts: 500, pending: 1 })
    await indexer.recover()
    const classified = ['classified 1 to 200', 'classified 201 to 400', 'classified 401 to 500', 'saved']
    expect(done).toEqual(classified)
    expect(version()).toBe(CLASSIFIER_VERSION)
    await indexer.run()
    expect(done).toEqual([...classified, 'indexed 1'])
  })

  test('by the job, from where a full disk has interrupted it', async () => {
    const { indexer, done, disk } = open({ podcasts: 300 })
    disk.isFull = true
    await indexer.recover()
    await indexer.run()
    expect(done).toEqual(['classified 1 to 200'])
    disk.isFull = false
    await indexer.run()
    expect(done).toEqual(['classified 1 to 200', 'classified 201 to 300', 'saved'])
  })
})

describe('pending podcasts and episodes are indexed', () => {
  test('ten podcasts at a time, in the background, however often the indexer is woken', async () => {
    const { indexer, background, done } = open({ pending: 25 })
    for (let n = 0; n < 5; n++) indexer.wake()
    expect(done).toEqual([])
    await background.idle()
    expect(done).toEqual(['indexed 10', 'indexed 10', 'indexed 5'])
  })

  test('after a pause while changes keep coming, together with what came meanwhile', async () => {
    let begun = Promise.withResolvers<() => void>()
    const pause = () => new Promise<void>((end) => begun.resolve(end))
    const { indexer, background, queue, store, done } = open({ pending: 1, pause })
    // Two clients write during each batch.
    const { indexBatch } = store
    store.indexBatch = async (limit) => {
      const count = await indexBatch(limit)
      queue.pending += 2
      for (let n = 0; n < 2; n++) indexer.wake()
      return count
    }
    indexer.wake()
    for (const indexed of [[], ['indexed 1'], ['indexed 1', 'indexed 2'], ['indexed 1', 'indexed 2', 'indexed 2']]) {
      const end = await begun.promise
      expect(done).toEqual(indexed)
      begun = Promise.withResolvers()
      if (indexed.length === 3) indexer.stop()
      end()
    }
    await background.idle()
    expect(done).toHaveLength(3)
  })

  test('25 episodes at a time, after podcasts, which do not wait for all of them', async () => {
    const { indexer, background, queue, store, done } = open({ pending: 1, episodes: 60 })
    const { indexEpisodes } = store
    store.indexEpisodes = async (limit) => {
      if (queue.episodes === 60) queue.pending++
      return indexEpisodes(limit)
    }
    indexer.wake()
    await background.idle()
    const [first = '', ...rest] = [25, 25, 10].map((count) => `indexed ${count} episodes`)
    expect(done).toEqual(['indexed 1', first, 'indexed 1', ...rest])
  })

  test.each([
    [{ pending: 1 }, 'indexed 1'],
    [{ episodes: 1 }, 'indexed 1 episodes'],
  ])('once the disk can be written again: %j', async (stored, indexed) => {
    const { indexer, background, done, disk, failures } = open(stored)
    for (const isFull of [true, false]) {
      disk.isFull = isFull
      indexer.wake()
      await background.idle()
      expect(done).toEqual(isFull ? [] : [indexed])
    }
    expect(failures).toEqual([])
  })

  test('after the next start, if the server is stopping', async () => {
    const { indexer, background, done } = open({ pending: 1 })
    indexer.stop()
    indexer.wake()
    await background.idle()
    expect(done).toEqual([])
  })
})

import { describe, expect, test } from 'bun:test'
import { createIndexer } from '../../src/domain/directory/indexer.ts'
import type { IndexStore } from '../../src/domain/directory/ports.ts'
import { CLASSIFIER_VERSION } from '../../src/domain/directory/privacy.ts'
import { DomainError } from '../../src/domain/shared/errors.ts'
import { createLog } from '../../src/platform/log.ts'
import { fakeClock } from '../support/clock.ts'

/** So many podcasts, numbered from 1, that other rules have classified, of which some wait for the directory. */
function open({ podcasts, waiting = 0 }: { podcasts: number; waiting?: number }) {
  const done: string[] = []
  const disk: { isFull: boolean } = { isFull: false }
  let rules: number | undefined
  let left = waiting
  const write = () => {
    if (disk.isFull) throw new DomainError('unavailable', 'the disk is full')
  }
  const upkeep: IndexStore = {
    hasPending: async () => left > 0,
    async flush(limit, isWaitedFor) {
      done.push(`${isWaitedFor ? 'urgent' : 'lazy'} ${Math.min(limit, left)}`)
      left -= Math.min(limit, left)
      return limit
    },
    secretRules: async () => rules,
    async noteSecretRules(version) {
      write()
      done.push('noted')
      rules = version
    },
    async reclassify(id, limit) {
      if (id > 0) write()
      const last = Math.min(podcasts, id + limit)
      if (last === id) return undefined
      done.push(`judged ${id + 1} to ${last}`)
      return last
    },
    recordDailyStats: async () => undefined,
    removeOrphaned: async () => undefined,
    pruneVocabulary: async () => '',
  }
  const log = createLog({ level: 'error', format: 'json', write: () => undefined })
  return { indexer: createIndexer(upkeep, fakeClock(), log), done, disk, rules: () => rules }
}

describe('addresses are classified anew', () => {
  test('in small parts to the end, once, and before whoever reads gets to see anything', async () => {
    const { indexer, done, rules } = open({ podcasts: 500, waiting: 1 })
    await Promise.all([indexer.flush(), indexer.run(), indexer.flush()])
    const classified = ['judged 1 to 200', 'judged 201 to 400', 'judged 401 to 500', 'noted']
    expect(done.slice(0, 4)).toEqual(classified)
    expect(done.slice(4).every((each) => each.includes('urgent') || each.includes('lazy'))).toBe(true)
    expect(rules()).toBe(CLASSIFIER_VERSION)
    await indexer.run()
    expect(done.filter((each) => each === 'noted')).toHaveLength(1)
  })

  test('from where a disk has failed', async () => {
    const { indexer, done, disk } = open({ podcasts: 300 })
    disk.isFull = true
    await indexer.flush()
    await indexer.flush()
    expect(done).toEqual(['judged 1 to 200'])
    disk.isFull = false
    await indexer.flush()
    expect(done).toEqual(['judged 1 to 200', 'judged 201 to 300', 'noted'])
  })
})

describe('the directory is caught up with', () => {
  test('ten at a time, and by a request not for longer than a thousand', async () => {
    const { indexer, done } = open({ podcasts: 0, waiting: 1005 })
    await indexer.flush()
    expect(done).toEqual(['noted', ...Array.from({ length: 100 }, () => 'urgent 10')])
    await indexer.run()
    expect(done.at(-1)).toBe('lazy 5')
  })
})

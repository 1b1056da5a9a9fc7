import { unlessUnavailable } from '../shared/errors.ts'
import type { FeedGuidStore } from './ports/episode-actions.ts'

/**
 * Old actions get the guid that the feed tells of their media URL, as new ones do when they come (docs/protocol.md#D84): those that were stored
 * before guids of feeds counted. Done once, in the background.
 */
export function createFeedGuids(store: FeedGuidStore) {
  /** The media URL up to which all have been looked at; where that goes on after a disk has failed. */
  let last: number | undefined = 0
  let isRunning = false
  let isStopped = false

  async function fillAll(): Promise<void> {
    if (last === 0 && (await store.isDone())) last = undefined
    while (last !== undefined && !isStopped) last = await store.fill(last)
  }

  /** Again now and then, for what a full disk has kept it from. */
  async function run(): Promise<void> {
    if (isRunning || last === undefined) return
    isRunning = true
    try {
      await unlessUnavailable(fillAll())
    } finally {
      isRunning = false
    }
  }

  return {
    run,
    jobs: [{ name: 'guids of feeds', pattern: '47 * * * *', isForStart: true, run }],
    stop: (): void => {
      isStopped = true
    },
  }
}

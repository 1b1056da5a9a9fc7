import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { platform } from 'node:os'
import { fileURLToPath } from 'node:url'
import { unfetchedFeed } from '../../src/domain/feeds/ports.ts'
import { READ_FEEDS, startChild } from '../../src/processes/start-process.ts'
import type { FeedRequest, FeedResponse, FetchRequest, Heartbeat } from '../../src/worker/protocol.ts'
import { childrenOf, nicenessOf } from '../support/processes.ts'

const PROGRAM = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const SETTINGS = {
  settings: { version: '1', feedAllowPrivate: [], feedTimeoutSeconds: 1, feedMaxBytes: 1000, feedMaxEpisodes: 10 },
}
/** Refused without any network access. */
const REQUEST: FetchRequest = {
  ...{ number: 1, audience: 'scheduled', feed: unfetchedFeed('http://127.0.0.1/f'), at: 5, maxBytes: undefined },
  wanted: { fingerprints: '{}', order: 'oldest first' },
}

function start(name = READ_FEEDS) {
  const before = new Set(children())
  const waiting: ((response: FeedResponse) => void)[] = []
  const onResponse = (response: FeedResponse | Heartbeat) => {
    if ('number' in response) waiting.shift()?.(response)
  }
  const { promise: ended, resolve: onEnd } = Promise.withResolvers<string>()
  const running = startChild<FeedRequest, FeedResponse | Heartbeat>(name)({ onResponse, onEnd })
  const [pid = 0] = children().filter((child) => !before.has(child))
  return {
    pid,
    ended,
    send: running.send,
    processorMs: running.processorMs,
    /** The response to a request. */
    ask(request: FeedRequest): Promise<FeedResponse> {
      const { promise, resolve } = Promise.withResolvers<FeedResponse>()
      waiting.push(resolve)
      running.send(request)
      return promise
    },
    end: running.kill,
    [Symbol.dispose]: running.kill,
  }
}

/** Empty on other systems. */
const children = () => (platform() === 'linux' ? childrenOf('self') : [])

/** A process that has answered a request. */
async function startAnswering() {
  const scene = start()
  scene.send(SETTINGS)
  expect(await scene.ask(REQUEST)).toMatchObject({ number: 1, answer: { kind: 'failed', reason: 'forbidden' } })
  return scene
}

describe('a child process', () => {
  test('reports its end with the cause, accepts requests afterwards, and has a processor time until then', async () => {
    using scene = await startAnswering()
    if (platform() === 'linux') expect(scene.processorMs()).toBeGreaterThan(0)
    scene.end()
    expect(await scene.ended).toBe('SIGKILL')
    scene.send(REQUEST)
    expect(scene.processorMs()).toBeUndefined()
  })

  test('reports the last words that it writes to stderr', async () => {
    using scene = start('read-nothing')
    expect(await scene.ended).toMatch(/^exit code 2: .*read-nothing/s)
  })

  test('explains itself to people who start it by hand', async () => {
    const child = Bun.spawn([process.execPath, PROGRAM, READ_FEEDS], { stdio: ['ignore', 'pipe', 'pipe'] })
    const [code, out, err] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()])
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain('podstep starts this process itself when there are feeds to fetch')
  })
})

test.if(platform() === 'linux')('a child process has low priority, no settings, and ignores signals', async () => {
  process.env['SVC_SMTP_PASSWORD'] = 'seaglass'
  using scene = await startAnswering()
  delete process.env['SVC_SMTP_PASSWORD']
  // With all its threads, and it is the first to be killed when memory runs out.
  expect(Math.min(...nicenessOf(scene.pid))).toBe(19)
  expect(readFileSync(`/proc/${scene.pid}/oom_score_adj`, 'utf8').trim()).toBe('500')
  const variables = readFileSync(`/proc/${scene.pid}/environ`, 'utf8').split('\0')
  expect(variables).toContain('BUN_JSC_useConcurrentJIT=0')
  expect(variables.filter((each) => each.startsWith('SVC_'))).toEqual([])
  // Signals may be meant for the whole service.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.kill(scene.pid, signal)
  expect(await scene.ask({ ...REQUEST, number: 2 })).toMatchObject({ number: 2 })
})

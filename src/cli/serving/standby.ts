import type { App } from '../../app.ts'
import { respondWhileWaiting } from '../../http/responses/waiting.ts'
import type { FetchHandler } from '../../http/server.ts'
import type { WebFiles } from '../../http/web-files.ts'
import { systemTimer } from '../../platform/clock.ts'
import type { Secret } from '../../platform/secret.ts'
import { type OpenPostgres, openPostgres, UnreachableDatabase } from '../../store/postgres/connect.ts'
import { type LeaderLock, openLeaderLock } from '../../store/postgres/leader.ts'
import { VERSION } from '../help.ts'
import { createListener, type Listener, type Server } from '../listening/listener.ts'
import {
  createServerApp,
  readCertificates,
  readWebClient,
  type ServerParts,
  schedule,
  stop,
  watch,
} from './server-process.ts'

/** Interval of attempts to take over from the active server. */
const POLL_MS = 250
const CONNECT_AGAIN_MS = 1000
/** PostgreSQL may be starting up too. After the first connection, the server waits for it indefinitely. */
const FIRST_CONNECT_MS = 60_000
/** Time for requests to finish after the lock is lost. Their changes are rejected. */
const END_DEADLINE_MS = 5000

export interface StandbyRun extends ServerParts {
  readonly url: Secret
  readonly stopWanted: Promise<void>
  /** Called each time the server becomes the active one. */
  onReady(app: App, server: Server): Promise<void>
}

/**
 * Runs a server on PostgreSQL. If several use the same database, one is active; the others respond that they are
 * waiting, and take over when it ends. A server that loses the lock drops all state in memory and waits again.
 */
export async function runStandby(run: StandbyRun): Promise<void> {
  const { settings, stopWanted } = run
  let respond: FetchHandler = respondWhileWaiting
  const listener = createListener(settings.config, (request) => respond(request))
  const web = await readWebClient()
  const certificate = readCertificates(run)
  const server = await listener.start(certificate)
  const endWatching = watch(run, listener, certificate)
  const turn = createTurn(run)
  void stopWanted.then(turn.giveUp)
  try {
    for (;;) {
      const active = await turn.take()
      if (!active) return
      const isStopped = await runActive(run, {
        ...{ ...active, listener, server, web },
        use(handler) {
          respond = handler
        },
      })
      if (isStopped) return
    }
  } finally {
    endWatching()
    await listener.stop(true)
  }
}

interface Active {
  readonly lock: LeaderLock
  readonly database: OpenPostgres
}

/** Waits until this server can become the active one. */
function createTurn({ url, clock, log }: StandbyRun) {
  const start = clock.monotonic()
  const timer = systemTimer
  let hasConnected = false
  let isGivenUp = false
  let wake: () => void = () => undefined
  let logged: 'unreachable' | 'waiting' | undefined

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = timer(ms, resolve)
      wake = () => {
        cancel()
        resolve()
      }
    })
  }

  async function waitFor(lock: LeaderLock): Promise<boolean> {
    while (!isGivenUp) {
      if (await lock.tryTake()) return true
      if (logged !== 'waiting')
        log.info('another podstep server is active on this database; waiting to take over from it')
      logged = 'waiting'
      await pause(POLL_MS)
    }
    return false
  }

  async function attempt(): Promise<Active | undefined> {
    const lock = await openLeaderLock({ url, timer })
    hasConnected = true
    try {
      if (!(await waitFor(lock))) {
        await lock.release()
        return undefined
      }
      const database = await openPostgres({ url, timer, version: VERSION, now: clock.seconds() })
      if (database.applied.length > 0) log.info('database is up to date', { applied: database.applied })
      return { lock, database }
    } catch (error) {
      await lock.release()
      throw error
    }
  }

  return {
    /** Returns undefined after `giveUp`. Throws `UnusableDatabase`. */
    async take(): Promise<Active | undefined> {
      while (!isGivenUp)
        try {
          const active = await attempt()
          logged = undefined
          return active
        } catch (error) {
          if (!(error instanceof UnreachableDatabase)) throw error
          if (!hasConnected && clock.monotonic() - start >= FIRST_CONNECT_MS) throw error
          if (logged !== 'unreachable') log.warn('waiting for PostgreSQL', { cause: error.message })
          logged = 'unreachable'
          await pause(CONNECT_AGAIN_MS)
        }
      return undefined
    },

    giveUp(): void {
      isGivenUp = true
      wake()
    },
  }
}

interface ActiveParts extends Active {
  readonly listener: Listener
  readonly server: Server
  readonly web: WebFiles
  /** Passes all further requests to `handler`. */
  use(handler: FetchHandler): void
}

/** Runs the application. Returns true after a requested stop, and false once the lock is lost. */
async function runActive(
  run: StandbyRun,
  { lock, database, listener, server, web, use }: ActiveParts,
): Promise<boolean> {
  const { log } = run
  const whenLost = lock.lost.then((reason) => ({ reason }))
  const app = createServerApp(run, { engine: { postgres: database.connections }, listener, web })
  let unschedule: () => void = () => undefined

  async function begin(): Promise<void> {
    await app.recover()
    use(app.fetch)
    unschedule = schedule(app.jobs)
    await run.onReady(app, server)
    await run.stopWanted
  }

  try {
    const loss = await Promise.race([begin(), whenLost])
    unschedule()
    if (!loss) {
      await stop(listener, app, log)
      return true
    }
    use(respondWhileWaiting)
    log.error('the connection that makes this server the active one has ended; waiting to become it again', {
      error: loss.reason,
    })
    app.end()
    app.beginStop()
    return false
  } finally {
    app.end()
    await database.close()
    await settledWithin(app.idle(), END_DEADLINE_MS)
    // Released last, so that no work of this process is in progress when another one takes over.
    await lock.release()
  }
}

function settledWithin(work: Promise<void>, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = systemTimer(ms, resolve)
    work.then(resolve, reject).finally(cancel)
  })
}

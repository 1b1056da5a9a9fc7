import { expect } from 'bun:test'
import {
  createMailQueue,
  type Mail,
  type Mailer,
  MailFailure,
  type MailFailureKind,
  type MailQueueParts,
} from '../../../src/domain/accounts/mail.ts'
import type { TokenPurpose } from '../../../src/domain/accounts/ports/tokens.ts'
import { createBackground } from '../../../src/platform/background.ts'
import { sha256 } from '../../../src/platform/crypto.ts'
import { createLog } from '../../../src/platform/log.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { BY_COMMAND_LINE, newUser, T } from '../../store/contract/fixtures.ts'
import { fakeClock } from '../../support/clock.ts'
import { seededRandom } from '../../support/values.ts'

export const MINUTE = 60
export const OLE = 'ole@pods.example'
export const EVA = 'eva@pods.example'

/** Logs, database and tokens of each scene. */
const scenes: { logs: string[]; database: () => Uint8Array; tokens: () => string[] }[] = []

/** For `afterEach`: expects no token or address in a log, and no token in a database. */
export function expectNoSecrets(): void {
  for (const { logs, database, tokens } of scenes.splice(0)) {
    const bytes = Buffer.from(database())
    for (const token of tokens()) {
      expect(logs.filter((line) => line.includes(token))).toEqual([])
      expect(bytes.includes(token)).toBe(false)
    }
    expect(logs.filter((line) => line.includes('@'))).toEqual([])
  }
}

/** Administrator ida without an email address, ole and eva with one, and a mail server controlled by `script`. */
export async function openMailScene(overrides: Partial<MailQueueParts> = {}) {
  const db = openMemoryDatabase()
  const store = createSqliteStore(db)
  const clock = fakeClock(T)
  const logs: string[] = []
  const log = createLog({ level: 'debug', format: 'json', write: (line) => logs.push(line) })
  const background = createBackground((error) => log.error('work in the background failed', { error }))
  const calls: (Mail & { readonly at: number })[] = []
  const script = { answer: async (_mail: Mail, _signal: AbortSignal): Promise<void> => undefined }
  const mailer: Mailer = {
    send(mail, signal) {
      calls.push({ ...mail, at: clock.seconds() - T })
      return script.answer(mail, signal)
    },
  }
  const pause = () => Promise.resolve()
  const parts = { ...store, mailer, background, pause, clock, random: seededRandom(1), log, ...overrides }
  const queue = createMailQueue(parts)
  const tokens = () => calls.flatMap((mail) => (mail.kind === 'test' ? [] : mail.token))
  scenes.push({ logs, database: () => db.serialize(), tokens })
  await store.users.create(newUser('ida'), true, BY_COMMAND_LINE)
  for (const name of ['ole', 'eva'])
    await store.users.create(newUser(name, `${name}@pods.example`), false, BY_COMMAND_LINE)

  return {
    db,
    store,
    clock,
    logs,
    calls,
    tokens,
    script,
    queue,
    parts,
    background,
    /** The queue after a restart of the server. */
    restart: () => createMailQueue({ ...parts, random: seededRandom(2) }),
    fail(kind: MailFailureKind, isMeant = (_mail: Mail) => true) {
      script.answer = async (mail) => {
        if (isMeant(mail)) throw new MailFailure(kind, 'low tide')
      }
    },
    /** Makes the mail server hang; resolves when the first email has reached it. */
    fallSilent(): Promise<void> {
      const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
      script.answer = (_mail, signal) => {
        reach()
        const { promise, reject } = Promise.withResolvers<void>()
        signal.addEventListener('abort', () => reject(new MailFailure('server', 'broken off')))
        return promise
      }
      return reached
    },
    recover() {
      script.answer = async () => undefined
    },
    /** Queues an email to ole and one to eva without sending them. */
    async enqueue() {
      for (const email of [OLE, EVA])
        await store.mails.request({ purpose: 'password_reset', emailKey: email, language: 'en' }, T)
    },
    async ask(email = OLE) {
      await queue.request('password_reset', email, 'en')
      await background.idle()
    },
    /** Like `ask`, for an anonymous request. */
    async askAnonymously(email: string) {
      await queue.requestForAnyone('password_reset', email, 'en')
      await background.idle()
    },
    async register(username: string) {
      await store.users.register(newUser(username, `${username}@pods.example`), 'invite', 'en')
      queue.wake()
      await background.idle()
    },
    /** Advances the clock, and runs the delivery job after each `step`. */
    async pass(seconds: number, step = MINUTE) {
      for (let left = seconds; left > 0; left -= step) {
        clock.advance(Math.min(left, step))
        await queue.deliverDue()
      }
    },
    /** Recipients of all attempts, in order. */
    recipients: () => calls.map(({ to }) => to),
    waiting: async () => (await queue.status()).waiting.map(({ emailKey, attempts }) => [emailKey, attempts]),
    live: (purpose: TokenPurpose) =>
      Promise.all(tokens().map((token) => store.tokens.isLive(purpose, sha256(token), clock.seconds()))),
    logged: (message: string) => logs.filter((line) => line.includes(message)).map((line) => JSON.parse(line)),
  }
}

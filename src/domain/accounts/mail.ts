import type { Background } from '../../platform/background.ts'
import type { Clock } from '../../platform/clock.ts'
import { type Random, randomUuid, sha256 } from '../../platform/crypto.ts'
import type { Log } from '../../platform/log.ts'
import { type Family, labelled, single } from '../../platform/metrics.ts'
import { DomainError } from '../shared/errors.ts'
import type { Language } from '../shared/languages.ts'
import { emailKey } from './identifiers.ts'
import type { MailPurpose, MailStore, WaitingMail } from './ports/mail.ts'
import type { TokenStore } from './ports/tokens.ts'
import type { User, UserStore } from './ports/users.ts'

export type Mail =
  | (To & { readonly kind: MailPurpose; readonly username: string; readonly token: string })
  | (To & { readonly kind: 'test' })

interface To {
  readonly to: string
  readonly language: Language
}

/** Longest pause between two attempts, in seconds. */
export const LONGEST_PAUSE = 3600

export interface Mailer {
  /** Settles when the mail server accepts the mail, or soon after `signal` is aborted. Rejects with `MailFailure`. */
  send(mail: Mail, signal: AbortSignal): Promise<void>
}

/** Scope of a failure: the address permanently, this mail for now, or the whole mail server. */
export type MailFailureKind = 'address' | 'mail' | 'server'

/** The message explains the cause to an administrator, without secrets or the recipient. */
export class MailFailure extends Error {
  readonly kind: MailFailureKind

  constructor(kind: MailFailureKind, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'MailFailure'
    this.kind = kind
  }
}

const HOUR = 3600

/** Seconds for which a token is valid and sending is retried (docs/protocol.md#registration and #password-reset). */
const LIFETIME: Record<MailPurpose, number> = { activation: 48 * HOUR, password_reset: 24 * HOUR }

/** Pause before the second attempt, in seconds. It doubles with each further one, up to `LONGEST_PAUSE`. */
const FIRST_PAUSE = 60

const WAITING_MAX = 1000

const BATCH = 20

export interface MailStatus {
  readonly isOn: boolean
  readonly lastSentAt: number | undefined
  readonly lastFailure: { readonly at: number; readonly cause: string } | undefined
  readonly total: number
  readonly waiting: readonly WaitingMail[]
}

export interface MailQueueParts {
  readonly mails: MailStore
  readonly tokens: TokenStore
  readonly users: UserStore
  readonly mailer: Mailer | undefined
  readonly background: Background
  /** Short random delay before mail of an anonymous request is sent. Settles at once when `signal` is aborted. */
  readonly pause: (signal: AbortSignal) => Promise<void>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export type MailQueue = ReturnType<typeof createMailQueue>

/** Delivers at least once: a mail stays queued until the mail server accepts it. Each attempt uses a new token. */
export function createMailQueue(parts: MailQueueParts) {
  const { mails, tokens, users, mailer, background, pause, clock, random, log } = parts
  const isOn = mailer !== undefined
  let lastSentAt: number | undefined
  let lastFailure: MailStatus['lastFailure']
  const counts = { sent: 0, failed: 0 }
  let running: Promise<void> | undefined
  let isWoken = false
  const stopping = new AbortController()

  async function send(mail: Mail): Promise<'sent' | 'stopped' | MailFailure> {
    if (!mailer) return 'stopped'
    try {
      await mailer.send(mail, stopping.signal)
      lastSentAt = clock.seconds()
      counts.sent++
      return 'sent'
    } catch (error) {
      if (stopping.signal.aborted) return 'stopped'
      // Any other error concerns this mail only and must not delay the others.
      const failure = error instanceof MailFailure ? error : new MailFailure('mail', String(error), error)
      lastFailure = { at: clock.seconds(), cause: failure.message }
      counts.failed++
      return failure
    }
  }

  async function addresseeOf({ purpose, emailKey: key }: WaitingMail): Promise<(User & { email: string }) | undefined> {
    const user = await users.findByEmail(key)
    const state = purpose === 'activation' ? 'pending_activation' : 'active'
    return user?.email !== undefined && user.state === state ? { ...user, email: user.email } : undefined
  }

  async function deliver(mail: WaitingMail): Promise<boolean> {
    const { purpose, language } = mail
    const at = clock.seconds()
    const user = await addresseeOf(mail)
    if (!user || at >= mail.requestedAt + LIFETIME[purpose]) {
      if (user) log.error('gave up sending an email', { purpose, user: user.username, cause: mail.lastError })
      await mails.remove(mail)
      return true
    }
    const token = randomUuid(random)
    const hash = sha256(token)
    const issued = { userId: user.id, purpose, hash, expiresAt: at + LIFETIME[purpose], email: user.email }
    // The user was removed or changed the address meanwhile. The next pass drops the mail.
    if (!(await tokens.issue(issued, mail.attempts === 0))) return true
    const outcome = await send({ kind: purpose, to: user.email, language, username: user.username, token })
    if (outcome === 'stopped') {
      // Counts as a failed attempt: the mail may have arrived, so its link must stay valid.
      await mails.postpone(mail, clock.seconds(), 'the server was stopped')
      return false
    }
    if (outcome === 'sent') {
      await mails.remove(mail)
      log.info('sent an email', { purpose, user: user.username })
      return true
    }
    const { kind, message: cause } = outcome
    if (kind === 'address') {
      await mails.remove(mail)
      log.error('the mail server refuses the address of a user', { purpose, user: user.username, cause })
      return true
    }
    const nextAttemptAt = clock.seconds() + Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** mail.attempts)
    await mails.postpone(mail, nextAttemptAt, cause)
    log.error('cannot send an email, will try again', {
      purpose,
      user: user.username,
      cause,
      attempts: mail.attempts + 1,
    })
    return kind === 'mail'
  }

  async function deliverAll(): Promise<void> {
    try {
      do {
        isWoken = false
        for (const mail of await mails.listDue(clock.seconds(), BATCH)) {
          if (stopping.signal.aborted || !(await deliver(mail))) return
          isWoken = true
        }
      } while (isWoken)
    } finally {
      // Cleared together with the last check, so that `wake` never relies on a finished run.
      running = undefined
    }
  }

  function deliverDue(): Promise<void> {
    if (!mailer || stopping.signal.aborted) return Promise.resolve()
    isWoken = true
    running ??= deliverAll()
    return running
  }

  function wake(): void {
    // A running delivery looks for new mail before it ends.
    if (running) isWoken = true
    else background.run(deliverDue)
  }

  return {
    isOn,
    wake,
    deliverDue,

    async request(purpose: MailPurpose, email: string, language: Language): Promise<void> {
      await mails.request({ purpose, emailKey: emailKey(email), language }, clock.seconds())
      wake()
    },

    /** Like `request`, for anonymous requests. Drops the mail if too many are waiting. */
    async requestForAnyone(purpose: MailPurpose, email: string, language: Language): Promise<void> {
      if (!(await mails.request({ purpose, emailKey: emailKey(email), language }, clock.seconds(), WAITING_MAX))) {
        log.error('too many emails are waiting; one more was not accepted', { purpose })
        return
      }
      // Sending during the response would reveal by timing whether the account exists.
      background.run(async () => {
        await pause(stopping.signal)
        await deliverDue()
      })
    },

    /** Sends a test email at once. Rejects with `smtp_unconfigured`, `mail_failed`. */
    async sendTest(address: string, language: Language): Promise<void> {
      if (!mailer) throw new DomainError('smtp_unconfigured', 'set smtp_host, smtp_from and base_url to send email')
      const outcome = await send({ kind: 'test', to: address, language })
      if (outcome instanceof MailFailure) throw new DomainError('mail_failed', outcome.message, { cause: outcome })
      if (outcome === 'stopped') throw new DomainError('unavailable', 'the server is stopping')
      log.info('sent a test email')
    },

    async status(): Promise<MailStatus> {
      const { total, mails: waiting } = await mails.waiting(BATCH)
      return { isOn, lastSentAt, lastFailure, total, waiting }
    },

    /** Returns the cause of the last failure; undefined if there was none or an email has been sent since. */
    trouble(): string | undefined {
      return lastFailure && lastFailure.at >= (lastSentAt ?? 0) ? lastFailure.cause : undefined
    },

    jobs: [{ name: 'mail', pattern: '* * * * *', isForStart: true, run: deliverDue }],

    async counters(): Promise<Family[]> {
      const { total } = await mails.waiting(BATCH)
      const attempts = ['podstep_mail_attempts_total', 'Attempts to send a mail, by result: sent or failed.'] as const
      return [
        single('gauge', 'podstep_mail_enabled', 'Whether the settings let the server send mail: 1 or 0.', +isOn),
        single('gauge', 'podstep_mail_queue_depth', 'Mails that wait to be sent.', total),
        labelled('counter', attempts, 'result', counts),
      ]
    },

    stop: (): void => stopping.abort(),
  }
}

import { mailerOf, providerOf } from '../adapters.ts'
import { createAccounts, createOwnAccount } from '../domain/accounts/account.ts'
import { createAdministration } from '../domain/accounts/administration.ts'
import { createAppPasswords } from '../domain/accounts/app-passwords.ts'
import { createAuthentication } from '../domain/accounts/authentication.ts'
import { createHousekeeping } from '../domain/accounts/housekeeping.ts'
import { createInvitations } from '../domain/accounts/invitations.ts'
import { createLoginFlows, LOGIN_FLOW_SECONDS } from '../domain/accounts/login-flow.ts'
import { createMailQueue } from '../domain/accounts/mail.ts'
import { createPasswordCheck } from '../domain/accounts/password-check.ts'
import { createCodeCheck, createSecondFactors, SETUP_MS } from '../domain/accounts/second-factor.ts'
import { createSessions } from '../domain/accounts/sessions.ts'
import { createSignInLimits, noSignInLimits } from '../domain/accounts/sign-in-limits.ts'
import { createSingleSignOn, SIGN_IN_SECONDS } from '../domain/accounts/single-sign-on.ts'
import { createSeal } from '../platform/crypto.ts'
import { createLru } from '../platform/lru.ts'
import { type Base, HOUR, limit, MINUTE } from './base.ts'

/** Sizes of in-memory caches: generous for a household, a few megabytes at most. */
const APP_SESSIONS_MAX = 5_000
/** One per app that sends its password each time. If one does not fit, the cache evicts all of them in turn. */
const CREDENTIALS_MAX = APP_SESSIONS_MAX
const SIGN_INS_MAX = 10_000
const ID_TOKENS_MAX = 500
const SETUPS_MAX = 1_000

export function accountServices(base: Base) {
  const { config, store, background, clock, random, hasher, log } = base
  const { users, tokens, identities } = store
  const limits = config.rateLimit ? createSignInLimits(clock) : noSignInLimits
  const codes = createCodeCheck({ store: store.secondFactors, guesses: limit(base, 20, HOUR), clock, log })
  const passwords = createPasswordCheck({
    users,
    appPasswords: store.appPasswords,
    hasher,
    random,
    delayRefusal: base.delayRefusal ?? (() => Promise.resolve()),
    limits,
    codes,
    cache: createLru(CREDENTIALS_MAX, clock, 10 * MINUTE),
  })
  const sessions = createSessions(store.sessions, clock, random, config.sessionDays)
  const mailQueue = createMailQueue({
    mails: store.mails,
    tokens,
    users,
    mailer: base.mailer ?? mailerOf(config),
    background,
    pause: base.pause ?? (() => Promise.resolve()),
    clock,
    random,
    log,
  })
  return {
    mailQueue,
    housekeeping: createHousekeeping(store, clock, log),
    sessions,
    authentication: createAuthentication({
      passwords,
      users,
      sessions,
      appSessions: createLru(APP_SESSIONS_MAX, clock),
    }),
    secondFactors: createSecondFactors({
      store: store.secondFactors,
      users,
      codes,
      matches: passwords.matches,
      setups: createLru(SETUPS_MAX, clock, SETUP_MS),
      clock,
      random,
    }),
    appPasswords: createAppPasswords(store.appPasswords, clock, random),
    loginFlows: createLoginFlows({
      store: store.loginFlows,
      clock,
      random,
      beginnings: limit(base, 20, LOGIN_FLOW_SECONDS * 1000),
      reserved: limit(base, 4, LOGIN_FLOW_SECONDS * 1000),
      // Twice the number of requests of four apps that keep polling after their flow has ended.
      guesses: limit(base, 2400, 5 * MINUTE),
    }),
    accounts: createAccounts({
      users,
      tokens,
      identities,
      mailQueue,
      passwords,
      clock,
      log,
      mode: config.registration,
      registrations: limit(base, 10, HOUR),
      resets: limit(base, 5, HOUR),
      mailboxes: limit(base, 3, HOUR),
    }),
    ownAccount: createOwnAccount({
      users,
      identities,
      passwords,
      emailChanges: limit(base, 10, HOUR),
      clock,
    }),
    administration: createAdministration({
      users,
      secondFactors: store.secondFactors,
      audit: store.audit,
      mailQueue,
      passwords,
      testMails: limit(base, 10, 10 * MINUTE),
      clock,
    }),
    invitations: createInvitations({
      invitations: store.invitations,
      users,
      passwords,
      clock,
      random,
      days: config.invitationDays,
    }),
    singleSignOn: createSingleSignOn({
      provider: providerOf(config, clock),
      identities,
      users,
      seal: createSeal(random),
      used: createLru(SIGN_INS_MAX, clock, SIGN_IN_SECONDS * 1000),
      idTokens: createLru(ID_TOKENS_MAX, clock),
      clock,
      log,
      mayCreate: config.oidcAutoCreate,
      adminGroup: config.oidcAdminGroup,
      failures: limit(base, 10, 5 * MINUTE),
      tests: limit(base, 10, MINUTE),
    }),
  }
}

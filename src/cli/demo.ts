import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { App } from '../app.ts'
import { addDevices, addHistory, DEMO_USERS, type DemoUser, type Send } from '../demo/accounts.ts'
import { createShows, FIXED_NEWEST, newestAt, type Show } from '../demo/shows.ts'
import { createDemoSite } from '../demo/site.ts'
import { type Clock, systemClock } from '../platform/clock.ts'
import { createLog, type Log } from '../platform/log.ts'
import { addressesOf, addressOf, isEverywhere } from './addresses.ts'
import { VERSION } from './help.ts'
import { CommandError, type Io, usageError } from './io.ts'
import { freePort } from './listening/listener.ts'
import { COMMAND_LINE, lockDataFolder, openDataFolder } from './open-app.ts'
import { runServer, signalled } from './serving/server-process.ts'
import { loadSettings } from './settings.ts'

export interface DemoOptions {
  readonly host?: string | undefined
  readonly port?: string | undefined
  readonly empty?: boolean | undefined
  readonly dates?: string | undefined
}

/** The passwords are public, so other machines can connect only with `--host`. */
const HOST = '127.0.0.1'

/** Runs a server for app developers in a temporary folder, with users, feeds and a history. */
export async function demo(options: DemoOptions, io: Io): Promise<number> {
  const clock = systemClock()
  const shows = createShows(newestOf(options, clock.seconds()))
  const folder = mkdtempSync(join(tmpdir(), 'podstep-demo-'))
  const removeFolder = () => rmSync(folder, { recursive: true, force: true })
  try {
    await runDemo({ options, io, clock, shows, folder, removeFolder })
  } finally {
    removeFolder()
  }
  return 0
}

/** Release time of the newest episodes, in Unix seconds. */
function newestOf({ dates = 'today' }: DemoOptions, now: number): number {
  if (dates === 'today') return newestAt(now)
  if (dates === 'fixed') return FIXED_NEWEST
  throw usageError(`--dates: expected today or fixed, got "${dates}"`)
}

interface DemoRun {
  readonly options: DemoOptions
  readonly io: Io
  readonly clock: Clock
  readonly shows: readonly Show[]
  readonly folder: string
  removeFolder(): void
}

async function runDemo({ options, io, clock, shows, folder, removeFolder }: DemoRun): Promise<void> {
  const { config: requested } = settingsOf(options, io, {})
  const port = requested.port === 0 ? await freePort(requested.host) : requested.port
  const host = isEverywhere(requested.host) ? (addressesOf(io.interfaces())[0] ?? HOST) : requested.host
  const base = addressOf(host, { port })
  const settings = settingsOf(options, io, {
    port: String(port),
    data_dir: folder,
    // Allows its own feeds, but nothing else on this machine or in its network.
    feed_allow_private: base.replace('http://', ''),
    registration: 'open',
    rate_limit: 'false',
    backup_keep: '0',
  })
  const { log, startRequestLog } = createDemoLog(io)
  const stopWanted = signalled(io, clock, log, { beforeExit: removeFolder, isBoundToTerminal: true })
  const release = lockDataFolder(folder)
  const database = openDataFolder({ dataDir: folder, version: VERSION, now: clock.seconds() })
  await runServer({
    ...{ settings, io, clock, log, database, stopWanted },
    respondFirst: createDemoSite(shows, base),
    async onReady(app) {
      await createUsers(app)
      if (!options.empty) await fillAccounts(app, shows, base)
      io.out(greeting(base, shows.length, folder, options.empty ?? false))
      startRequestLog()
    },
    onClosed: release,
  })
}

/** Ignores the settings of this machine, which may name a production database or mail server. */
function settingsOf({ host, port }: DemoOptions, io: Io, overrides: Readonly<Record<string, string>>) {
  return loadSettings({
    env: {},
    cwd: io.cwd,
    readFile: () => undefined,
    overrides: { host: host ?? HOST, port, ...overrides },
  })
}

function createDemoLog(io: Io) {
  const written = createLog({
    level: 'info',
    format: io.isLogTerminal ? 'pretty' : 'json',
    write: (line) => io.err(line),
  })
  let isReady = false
  const log: Log = {
    ...written,
    info(message, fields) {
      if (isReady) written.info(message, fields)
    },
    infoOften(message, fields) {
      if (isReady) written.infoOften(message, fields)
    },
  }
  return {
    log,
    startRequestLog() {
      isReady = true
    },
  }
}

async function createUsers({ services }: App): Promise<void> {
  for (const { username, password } of DEMO_USERS)
    await services.administration.create({ username, password, email: '' }, false, COMMAND_LINE)
}

async function fillAccounts(app: App, shows: readonly Show[], base: string): Promise<void> {
  const send: Send = async (user, path, body) => {
    const request = new Request(base + path, {
      method: 'POST',
      headers: { authorization: basic(user), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const response = await app.fetch(request)
    if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${await response.text()}`)
  }
  await addDevices(send, shows, base)
  await app.idle()
  await checkFeeds(app, shows.length)
  await addHistory(send, shows, base)
  await app.indexed()
}

async function checkFeeds({ services }: App, feedCount: number): Promise<void> {
  const { total, counts, feeds } = await services.feedHealth.list({ state: undefined, text: '' }, 0, feedCount)
  if (counts.ok === total) return
  const reason = feeds.find(({ state }) => state !== 'ok')?.failure?.message ?? 'no reason is known'
  throw new CommandError(`error: the demo cannot fetch its own feeds: ${reason}`)
}

function basic({ username, password }: DemoUser): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

function greeting(base: string, feedCount: number, folder: string, isEmpty: boolean): string {
  const users = DEMO_USERS.map(({ username, password, devices, group }, n) => {
    const names = devices.map(({ id }) => (group.includes(id) ? `${id}*` : id)).join(', ')
    const role = n === 0 ? ' (administrator)' : ''
    return `  ${username.padEnd(8)}password ${password.padEnd(11)}${isEmpty ? 'no devices' : `devices ${names}`}${role}`
  })
  const login = (n: number) => `${DEMO_USERS[n]?.username}:${DEMO_USERS[n]?.password}`
  return [
    `podstep ${VERSION} demo is ready.`,
    '',
    `  Server   ${base}`,
    `  Feeds    ${feedCount} podcasts, listed in ${base}/demo/feeds.opml`,
    `  Data     ${folder}, removed at the end`,
    '',
    ...users,
    ...(isEmpty ? [] : ['  * kept in sync with each other']),
    '',
    'Try',
    '',
    `  curl -u ${login(0)} '${base}/api/2/subscriptions/ida/phone.json?since=0'`,
    `  curl -u ${login(0)} '${base}/api/2/episodes/ida.json?since=0&aggregated=true'`,
    `  curl -u ${login(0)} '${base}/api/2/favorites/ida.json'`,
    `  curl -u ${login(1)} '${base}/api/2/devices/otto.json'`,
    `  curl -u ${login(1)} -d '{"add":["${base}/demo/tide-tables.xml"]}' '${base}/api/2/subscriptions/otto/mobile.json'`,
    `  curl '${base}/demo/lantern-quay.xml'`,
    '',
    'Stop with Ctrl-C.',
    '',
  ].join('\n')
}

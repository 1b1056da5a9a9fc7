import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expectActions, expectDelta } from './cases.ts'
import { sendFromElsewhere } from './client-process.ts'
import { compare } from './compare.ts'
import { longHistory, SHORT_HISTORY, shortHistory } from './histories.ts'
import type { Source } from './load.ts'
import { median } from './numbers.ts'
import { type ServerProcess, startPodstep } from './processes.ts'
import { say, target } from './report.ts'
import { actionsGet, actionsUpload, deltaGet, patched } from './requests.ts'
import type { RawResponse } from './responses.ts'
import { ACTIONS_PER_UPLOAD, deviceName, FEW, RARE_FEED, seed, sinceUploads } from './seed.ts'
import type { Settings } from './settings.ts'

const RATIO_WANTED = 1.2
const AGGREGATED_WANTED_SECONDS = 0.5
const FEW_USERS = 10
const CONNECTIONS = 4

const HEAD = '| request | µs of CPU, few | many | ratio of CPU | ratio of time |\n|---|--:|--:|--:|--:|'

interface Question {
  readonly title: string
  make(connections: number): Source
  readonly check?: (response: RawResponse) => void
}

/** Does somebody's request cost more where more is stored: of the same user, or of others? */
export async function measureGrowth(settings: Settings): Promise<void> {
  if (!settings.wants('growth')) return
  await ofOneUser(settings)
  await ofManyUsers(settings)
}

async function ofOneUser(settings: Settings): Promise<void> {
  const { command, history } = settings
  say(`\n## Growth: ${SHORT_HISTORY} against ${history} stored actions of the one who asks\n`)
  const few = await startPodstep(command, copyOf(await shortHistory(settings)))
  const many = await startPodstep(command, copyOf(await longHistory(settings)))
  try {
    await compareAll(`${history} against ${SHORT_HISTORY} actions`, QUESTIONS, few, many, settings)
    const seconds: number[] = []
    const everything = actionsGet(0, 0, '&aggregated=true')
    for (let time = 0; time < 5; time++) seconds.push((await sendFromElsewhere(many.port, everything)).ms / 1000)
    target('aggregated from 0, 100,000 episodes', median(seconds), ' s', { atMost: AGGREGATED_WANTED_SECONDS })
  } finally {
    await Promise.all([few.stop(), many.stop()])
  }
}

/** Uploads are among the questions, and other parts count on what is new in the original. */
function copyOf(dataDir: string): string {
  const copy = `${dataDir}-growth`
  cpSync(dataDir, copy, { recursive: true })
  return copy
}

async function ofManyUsers(settings: Settings): Promise<void> {
  const { command, dir, manyUsers } = settings
  say(`\n## Growth: ${FEW_USERS} against ${manyUsers} users, of whom the same ${FEW_USERS} ask\n`)
  const size = { feeds: 5, actionsPerUser: ACTIONS_PER_UPLOAD }
  const [fewDir, manyDir] = [join(dir, 'few-users'), join(dir, 'many-users')]
  await seed(fewDir, { users: FEW_USERS, ...size })
  await seed(manyDir, { users: manyUsers, ...size })
  const few = await startPodstep(command, fewDir)
  const many = await startPodstep(command, manyDir)
  try {
    const questions = [
      { title: 'delta GET, 5 feeds', make: () => inTurns((user) => deltaGet(user)) },
      { title: `actions GET, ${ACTIONS_PER_UPLOAD} recent`, make: () => inTurns((user) => actionsGet(user)) },
      uploadOf(FEW_USERS),
    ]
    await compareAll(`${manyUsers} against ${FEW_USERS} users`, questions, few, many, settings)
  } finally {
    await Promise.all([few.stop(), many.stop()])
  }
}

async function compareAll(
  what: string,
  questions: readonly Question[],
  fewServer: ServerProcess,
  manyServer: ServerProcess,
  { pace }: Settings,
): Promise<void> {
  say(HEAD)
  const verdicts: (() => void)[] = []
  for (const { title, make, check } of questions) {
    const contestant = (server: ServerProcess) => ({ server, source: make(CONNECTIONS), ...(check && { check }) })
    const contestants = [contestant(fewServer), contestant(manyServer)]
    const [few, many] = await compare(contestants, { ...pace, connections: CONNECTIONS })
    if (!few || !many) continue
    const ratio = many.cpuRatioTo(few)
    const cells = [title, few.cpuMicros.toFixed(0), many.cpuMicros.toFixed(0), ratio.toFixed(2)]
    say(`| ${[...cells, few.ratioTo(many).toFixed(2)].join(' | ')} |`)
    verdicts.push(() => target(`${title}, CPU with ${what}`, ratio, '', { atMost: RATIO_WANTED }))
  }
  say()
  for (const verdict of verdicts) verdict()
}

const asked = (title: string, request: Uint8Array, check: (response: RawResponse) => void): Question => ({
  title,
  make: () => () => request,
  check,
})

const uploadOf = (users: number): Question => ({
  title: `upload of ${ACTIONS_PER_UPLOAD} actions`,
  make: (connections) => patched(connections, users, actionsUpload),
})

const UPLOADS_BELOW_A_THOUSAND = 30
const UPLOADS_ABOVE_A_THOUSAND = 37
const EPISODES_PER_UPLOAD = ACTIONS_PER_UPLOAD / 5

const actionsSince = (uploads: number, filter = '', count = uploads * ACTIONS_PER_UPLOAD) =>
  asked(
    `actions GET, ${uploads * ACTIONS_PER_UPLOAD} new${filter}`,
    actionsGet(0, sinceUploads(uploads), filter),
    expectActions(count),
  )

/** Each is answered with as much from the short history as from the long one. */
const QUESTIONS: readonly Question[] = [
  asked('delta GET', deltaGet(0), expectDelta),
  actionsSince(1),
  actionsSince(UPLOADS_BELOW_A_THOUSAND),
  actionsSince(UPLOADS_ABOVE_A_THOUSAND),
  actionsSince(1, '&aggregated=true', EPISODES_PER_UPLOAD),
  actionsSince(UPLOADS_ABOVE_A_THOUSAND, '&aggregated=true', UPLOADS_ABOVE_A_THOUSAND * EPISODES_PER_UPLOAD),
  asked(`device= with ${FEW} actions`, actionsGet(0, 0, `&device=${deviceName(0, 1)}`), expectActions(FEW)),
  asked(
    `podcast= with ${FEW} actions`,
    actionsGet(0, 0, `&podcast=${encodeURIComponent(RARE_FEED)}`),
    expectActions(FEW),
  ),
  uploadOf(1),
]

/** One request after the other, from all users in turn. */
function inTurns(make: (user: number) => Uint8Array): Source {
  const requests = Array.from({ length: FEW_USERS }, (_, user) => make(user))
  let next = 0
  return () => requests[next++ % FEW_USERS] ?? new Uint8Array()
}

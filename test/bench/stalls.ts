import { sendFromElsewhere } from './client-process.ts'
import { longHistory } from './histories.ts'
import { runLoad } from './load.ts'
import { type ServerProcess, startPodstep } from './processes.ts'
import { say, target } from './report.ts'
import { actionsGet, send } from './requests.ts'
import { deviceName, feedUrl, PODCASTS, RARE_FEED, sinceUploads, userName } from './seed.ts'
import type { Settings } from './settings.ts'
import { type Waiting, watchOthers, watchOthersRepeatedly } from './waiting.ts'

const READ_WANTED_MS = 20
const WRITE_WANTED_MS = 100
const REPEATS = 5

const FEEDS = 5000
const DEVICES_OF_PUT = 5
const DEVICES_OF_GROUP = 100
/** Feeds that the devices of the large group have between them, two on each. */
const FEEDS_OF_GROUP = 20

/** How long others wait while one user asks for, or changes, very much. */
export async function measureStalls(settings: Settings): Promise<void> {
  const { command, history, wants } = settings
  if (!wants('stalls')) return
  say(`\n## Stalls: others' longest wait, ${history} stored actions of the one who asks\n`)
  const server = await startPodstep(command, await longHistory(settings), {
    SVC_MAX_DEVICES: '1000',
    SVC_MAX_SUBSCRIPTIONS: '1000000',
  })
  try {
    const idle = await watchOthers(server, () => Bun.sleep(3000))
    say(`  with nothing else going on: ${inWords(idle)}`)
    await ofReads(server)
    await ofLargeList(server)
    await ofLargeGroup(server)
  } finally {
    await server.stop()
  }
}

const READS: readonly (readonly [title: string, request: Uint8Array])[] = [
  ['actions since, 1,110 new', actionsGet(0, sinceUploads(37))],
  ['actions since, 30,000 new', actionsGet(0, sinceUploads(1000))],
  ['all actions', actionsGet(0, 0)],
  ['aggregated since, 1,110 new', actionsGet(0, sinceUploads(37), '&aggregated=true')],
  ['aggregated from 0', actionsGet(0, 0, '&aggregated=true')],
  ['device= with 40 actions', actionsGet(0, 0, `&device=${deviceName(0, 1)}`)],
  ['device= and aggregated', actionsGet(0, 0, `&aggregated=true&device=${deviceName(0)}`)],
  ['podcast= with 40 actions', actionsGet(0, 0, `&podcast=${encodeURIComponent(RARE_FEED)}`)],
]

async function ofReads(server: ServerProcess): Promise<void> {
  for (const [title, request] of READS) {
    const waiting = await watchOthersRepeatedly(server, REPEATS, () => sendFromElsewhere(server.port, request))
    const [answer] = waiting.results
    judge(
      `${title} (${((answer?.bytes ?? 0) / 2 ** 20).toFixed(2)} MiB in ${answer?.ms.toFixed(0)} ms)`,
      waiting,
      READ_WANTED_MS,
    )
  }
}

const devicesPath = `/api/2/sync-devices/${userName(0)}.json`

async function ofLargeList(server: ServerProcess): Promise<void> {
  const uids = Array.from({ length: DEVICES_OF_PUT }, (_, index) => `tablet-${index}`)
  await uploadChanges(server, uids, () => [feedUrl(0)])
  await sendFromElsewhere(server.port, send(0, 'POST', devicesPath, { synchronize: [uids] }))
  const feeds = Array.from({ length: FEEDS }, (_, index) => feedUrl(PODCASTS + 1 + index))
  const path = `/subscriptions/${userName(0)}/${uids[0]}.json`
  const put = (list: readonly string[]) => () => sendFromElsewhere(server.port, send(0, 'PUT', path, list))
  const group = `a group of ${DEVICES_OF_PUT} devices`
  judgeChange(`PUT of ${FEEDS} feeds in ${group}`, await watchOthers(server, put(feeds)))
  judgeChange(`PUT of an empty list in ${group}`, await watchOthers(server, put([])))
}

async function ofLargeGroup(server: ServerProcess): Promise<void> {
  const uids = Array.from({ length: DEVICES_OF_GROUP }, (_, index) => `small-${index}`)
  const feeds = [feedUrl(0), ...Array.from({ length: FEEDS_OF_GROUP - 1 }, (_, index) => feedUrl(index + 1))]
  await uploadChanges(server, uids, (index) => [feeds[0], feeds[1 + (index % (FEEDS_OF_GROUP - 1))]])
  const form = () => sendFromElsewhere(server.port, send(0, 'POST', devicesPath, { synchronize: [uids] }))
  judgeChange(`forming a group of ${DEVICES_OF_GROUP} devices`, await watchOthers(server, form))
}

/** Devices come to be by their first upload. */
async function uploadChanges(
  { port }: ServerProcess,
  uids: readonly string[],
  feedsOf: (index: number) => readonly (string | undefined)[],
): Promise<void> {
  const requests = uids.map((uid, index) =>
    send(0, 'POST', `/api/2/subscriptions/${userName(0)}/${uid}.json`, { add: feedsOf(index), remove: [] }),
  )
  let next = 0
  const source = () => requests[next++] ?? new Uint8Array()
  await runLoad({ port, connections: 8, source, maxMs: 300_000, maxRequests: requests.length })
}

function judgeChange(title: string, waiting: Waiting & { result: { ms: number } }): void {
  judge(`${title} (${waiting.result.ms.toFixed(0)} ms)`, waiting, WRITE_WANTED_MS)
}

function judge(title: string, waiting: Waiting, atMost: number): void {
  say(`  ${title}: ${inWords(waiting)}`)
  target(`${title}: others wait`, waiting.longest, ' ms', { atMost })
}

function inWords({ p50, p99, longest }: Waiting): string {
  return `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(1)} ms, longest ${longest.toFixed(1)} ms`
}

import { type Answering, clientOf } from './client.ts'

export const METRICS_TOKEN = 'tide-table-of-1873'
export const WITH_TOKEN = { metrics_token: METRICS_TOKEN }

/** Values by name and labels, and the whole text. */
export interface Metrics extends ReadonlyMap<string, number> {
  readonly text: string
}

/** Returns the response of `GET /metrics` with the token. */
export async function readMetrics(app: Answering): Promise<Metrics> {
  const { status, text } = await clientOf(app, { authorization: `Bearer ${METRICS_TOKEN}` }).get('/metrics')
  if (status !== 200) throw new Error(`/metrics answers ${status}: ${text}`)
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const entries = lines.map((line): [string, number] => {
    const blank = line.lastIndexOf(' ')
    return [line.slice(0, blank), Number(line.slice(blank + 1))]
  })
  return Object.assign(new Map(entries), { text })
}

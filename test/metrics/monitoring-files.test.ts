import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { startTestApp } from '../support/app.ts'
import { signUp } from '../support/client.ts'
import { readMetrics, WITH_TOKEN } from '../support/metrics.ts'

/** The dashboard, the alerts and the document name what the server tells, all of it, and nothing else. */

const ROOT = join(import.meta.dir, '../..')
const read = (path: string) => Bun.file(join(ROOT, path)).text()

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[]
}

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly annotations: Readonly<Record<string, string>>
}

const dashboard: { panels: Panel[]; templating: { list: { name: string; type: string }[] } } = JSON.parse(
  await read('deploy/grafana.json'),
)
const alerts = Bun.YAML.parse(await read('deploy/alerts.yml')) as { groups: { rules: Rule[] }[] }
const rules = alerts.groups.flatMap((group) => group.rules)
const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

/** Names of lines and of metrics; a histogram has lines of three names. */
const lines = new Set<string>()
const metrics = new Set<string>()
const labels = new Set<string>()

const app = startTestApp({ settings: WITH_TOKEN })
const ida = await signUp(app)
await ida.put('/subscriptions/ida/phone.txt', 'https://feeds.example/a\n')
app.services.backups.run()
app.jobs.find(({ name }) => name === 'feeds')?.run()
await app.idle()
await readMetrics(app)
const told = await readMetrics(app)
for (const line of told.keys()) {
  lines.add(/^\w+/.exec(line)?.[0] ?? '')
  for (const [, label = ''] of line.matchAll(/[{,](\w+)="/g)) labels.add(label)
}
for (const [, name = ''] of told.text.matchAll(/^# TYPE (\w+)/gm)) metrics.add(name)
// Of the disk, which a database in memory does not have.
lines.add('podstep_disk_free_bytes')

const namesIn = (text: string) => text.match(/\b(?:podstep|process)_\w+/g) ?? []
const metricOf = (line: string) => (metrics.has(line) ? line : line.replace(/_(?:bucket|sum|count)$/, ''))

test.each([
  ['dashboard', queries],
  ['alerts', rules.map(({ expr }) => expr)],
])('every name in the %s is that of a line that the server tells', (_file, expressions) => {
  const names = expressions.flatMap(namesIn)
  expect(names.length).toBeGreaterThan(5)
  expect(names.filter((name) => !lines.has(name))).toEqual([])
})

test('the dashboard groups by labels that there are', () => {
  const grouped = queries.flatMap((query) =>
    [...query.matchAll(/ by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', ')),
  )
  expect(grouped.length).toBeGreaterThan(5)
  expect(grouped.filter((label) => !labels.has(label))).toEqual([])
})

test('every metric is on the dashboard and in the document', async () => {
  const shown = new Set(queries.flatMap(namesIn).map(metricOf))
  const described = new Set(namesIn(await read('docs/observability.md')))
  expect([...metrics].filter((name) => !shown.has(name) && name !== 'podstep_mail_enabled')).toEqual([])
  expect([...metrics].filter((name) => !described.has(name))).toEqual([])
  expect([...described].filter((name) => !metrics.has(name))).toEqual([])
})

test('the dashboard asks the data source that somebody chooses, and its panels have room', () => {
  expect(dashboard.templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource' })
  const sources = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ datasource }) => datasource.uid))
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how Grafana writes its variables
  expect(new Set(sources)).toEqual(new Set(['${datasource}']))
  const ids = dashboard.panels.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const taken = new Set<string>()
  for (const { title, gridPos } of dashboard.panels)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        expect([title, x < 24, taken.has(`${x} ${y}`)]).toEqual([title, true, false])
        taken.add(`${x} ${y}`)
      }
})

test('there are three alerts, each of which says what has happened', () => {
  expect(rules.map(({ alert }) => alert)).toEqual(['PodstepNotReady', 'PodstepBackupMissing', 'PodstepFailing'])
  for (const { annotations } of rules)
    expect(annotations).toEqual({ summary: expect.any(String), description: expect.any(String) })
})

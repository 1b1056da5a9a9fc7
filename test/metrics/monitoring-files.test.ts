import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestApp } from '../support/app.ts'
import { signUp } from '../support/client.ts'
import { readMetrics, WITH_TOKEN } from '../support/metrics.ts'

/** The dashboard, the alerts and the document name exactly the metrics of the server. */

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

/** Names of samples and of metrics; a histogram has samples of three names. */
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
const samples = await readMetrics(app)
for (const line of samples.keys()) {
  lines.add(/^\w+/.exec(line)?.[0] ?? '')
  for (const [, label = ''] of line.matchAll(/[{,](\w+)="/g)) labels.add(label)
}
for (const [, name = ''] of samples.text.matchAll(/^# TYPE (\w+)/gm)) metrics.add(name)
// The free disk space, which a database in memory does not have.
lines.add('podstep_disk_free_bytes')

const namesIn = (text: string) => text.match(/\b(?:podstep|process)_\w+/g) ?? []
const metricOf = (line: string) => (metrics.has(line) ? line : line.replace(/_(?:bucket|sum|count)$/, ''))

test.each([
  ['dashboard', queries],
  ['alerts', rules.map(({ expr }) => expr)],
])('every name in the %s exists', (_file, expressions) => {
  const names = expressions.flatMap(namesIn)
  expect(names.length).toBeGreaterThan(5)
  expect(names.filter((name) => !lines.has(name))).toEqual([])
})

test('the dashboard groups by existing labels', () => {
  const grouped = queries.flatMap((query) =>
    [...query.matchAll(/ by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', ')),
  )
  expect(grouped.length).toBeGreaterThan(5)
  expect(grouped.filter((label) => !labels.has(label))).toEqual([])
})

test('every metric is in the dashboard and in the document', async () => {
  const shown = new Set(queries.flatMap(namesIn).map(metricOf))
  const described = new Set(namesIn(await read('docs/observability.md')))
  expect([...metrics].filter((name) => !shown.has(name) && name !== 'podstep_mail_enabled')).toEqual([])
  expect([...metrics].filter((name) => !described.has(name))).toEqual([])
  expect([...described].filter((name) => !metrics.has(name))).toEqual([])
})

test('the dashboard uses the selected data source, and its panels do not overlap', () => {
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

test('there are three alerts, each with a summary and a description', () => {
  expect(rules.map(({ alert }) => alert)).toEqual(['PodstepNotReady', 'PodstepBackupMissing', 'PodstepFailing'])
  for (const { annotations } of rules)
    expect(annotations).toEqual({ summary: expect.any(String), description: expect.any(String) })
})

/** In the Debian package `prometheus`. Without it, only the names above are checked. */
const promtool = Bun.which('promtool')

describe.skipIf(promtool === null)('Prometheus itself', () => {
  const folder = mkdtempSync(join(tmpdir(), 'podstep-test-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  async function check(args: readonly string[], stdin?: string) {
    const child = Bun.spawn([promtool ?? '', ...args], {
      stdin: stdin === undefined ? 'ignore' : new Blob([stdin]),
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [code, out, err] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()])
    return { code, text: `${out}${err}` }
  }

  test('accepts the metrics without complaints', async () => {
    expect(await check(['check', 'metrics'], samples.text)).toEqual({ code: 0, text: '' })
  })

  test('accepts the alerts and every query of the dashboard', async () => {
    expect((await check(['check', 'rules', join(ROOT, 'deploy/alerts.yml')])).text).toContain('SUCCESS: 3 rules found')
    const filled = queries.map((query) => query.replaceAll('$job', 'podstep').replaceAll('$instance', '.*'))
    const record = filled.map((expr, index) => ({ record: `query_${index}`, expr: expr.replaceAll(/\$\w+/g, '5m') }))
    const file = join(folder, 'queries.yml')
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: record }] }))
    expect((await check(['check', 'rules', file])).text).toContain(`SUCCESS: ${queries.length} rules found`)
  })

  test('fires each alert when it should, and none for a healthy server', async () => {
    const of = (series: Record<string, string>) =>
      Object.entries(series).map(([name, values]) => ({ series: `${name}{job="podstep",instance="a"}`, values }))
    const healthy = {
      up: '1x60',
      podstep_ready: '1x60',
      podstep_backup_enabled: '1x60',
      podstep_backup_overdue: '0x60',
      podstep_backup_last_success: '1x60',
      podstep_write_failures_total: '0x60',
      podstep_feed_worker_failures_total: '0x60',
    }
    const cases: [Record<string, string>, string | undefined][] = [
      [{}, undefined],
      [{ up: '0x60' }, 'PodstepNotReady'],
      [{ podstep_ready: '0x60' }, 'PodstepNotReady'],
      [{ podstep_backup_overdue: '1x60' }, 'PodstepBackupMissing'],
      [{ podstep_backup_last_success: '0x60' }, 'PodstepBackupMissing'],
      [{ podstep_backup_last_success: '0x60', podstep_backup_enabled: '0x60' }, undefined],
      [{ podstep_write_failures_total: '0x50 1x10' }, 'PodstepFailing'],
      [{ podstep_feed_worker_failures_total: '0+1x60' }, 'PodstepFailing'],
    ]
    const tests = cases.map(([series, expected]) => ({
      interval: '1m',
      input_series: of({ ...healthy, ...series }),
      promql_expr_test: [
        {
          expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
          eval_time: '58m',
          exp_samples: expected === undefined ? [] : [{ labels: `{alertname="${expected}"}`, value: 1 }],
        },
      ],
    }))
    const file = join(folder, 'tests.yml')
    const rule_files = [join(ROOT, 'deploy/alerts.yml')]
    writeFileSync(file, JSON.stringify({ rule_files, evaluation_interval: '1m', tests }))
    const { code, text } = await check(['test', 'rules', file])
    expect(text).toContain('SUCCESS')
    expect(code).toBe(0)
  })
})

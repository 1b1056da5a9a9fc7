import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'

/**
 * Plants the faults of test/faults.md one at a time and runs the tests that must notice them.
 *
 *   bun scripts/faults.ts            all of them
 *   bun scripts/faults.ts TEXT…      those whose line holds one of the texts
 *   bun scripts/faults.ts --check    only whether every line still fits the code; runs no test
 *
 * Run it whenever tests are removed. It changes files of the working tree and restores them, even if a signal stops it.
 * A run restores the file that a killed run has left changed.
 */

const ROOT = join(import.meta.dir, '..')
const LIST = join(ROOT, 'test/faults.md')
/** Records the planted fault, so that the next run can restore the file if this one is killed. */
const PLANTED = join(ROOT, '.planted-fault')

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** A row: what it breaks, the file, a text that occurs there once and its replacement, the tests that must fail. */
const ROW =
  /^\| (?<what>[^|]+) \| (?<file>(?:src|deploy|scripts)\/[^ ]+) \| `(?<old>.+?)` → `(?<with>.*?)` \| (?<tests>test\/[^|]+) \|$/

interface Fault {
  readonly line: string
  readonly what: string
  readonly file: string
  readonly old: string
  readonly instead: string
  readonly tests: readonly string[]
}

function readFaults(): Fault[] {
  const rows = readFileSync(LIST, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| what breaks |'))
  return rows.map((line) => {
    const groups = ROW.exec(line)?.groups
    if (!groups) throw new Error(`not a row of test/faults.md: ${line}`)
    // Bars are escaped, since a bar ends a cell.
    const text = (name: string) => (groups[name] ?? '').replaceAll('&#124;', '|')
    return {
      line,
      what: text('what'),
      file: text('file'),
      old: text('old'),
      instead: text('with'),
      tests: text('tests').trim().split(' '),
    }
  })
}

/** Returns `noticed` if the tests fail while the fault is planted; otherwise what is wrong with the row. */
async function check({ file, old, instead, tests }: Fault): Promise<'noticed' | string> {
  const path = join(ROOT, file)
  if (!existsSync(path)) return `there is no ${file}`
  const missing = tests.find((test) => !existsSync(join(ROOT, test)))
  if (missing !== undefined) return `there is no ${missing}`
  const source = readFileSync(path, 'utf8')
  if (source.split(old).length !== 2) return `the text is there ${source.split(old).length - 1} times`
  if (isDryRun) return 'noticed'
  const faulty = source.replace(old, () => instead)
  let run: ReturnType<typeof runTests> | undefined
  const restore = () => {
    writeFileSync(path, source)
    rmSync(PLANTED)
  }
  const stop = (signal: (typeof SIGNALS)[number]) => {
    run?.kill()
    restore()
    process.exit(128 + constants.signals[signal])
  }
  for (const signal of SIGNALS) process.once(signal, stop)
  try {
    const planted: Planted = { pid: process.pid, file, source, faulty }
    writeFileSync(PLANTED, JSON.stringify(planted))
    writeFileSync(path, faulty)
    run = runTests(tests)
    const [output, code] = await Promise.all([new Response(run.stderr).text(), run.exited])
    if (code === 0) return 'no test fails'
    return /^\(fail\)|^error:/m.test(output) ? 'noticed' : `the tests did not run:\n${output}`
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop)
    restore()
  }
}

function runTests(tests: readonly string[]) {
  return Bun.spawn([process.execPath, 'test', '--isolate', ...tests], {
    cwd: ROOT,
    stdout: 'ignore',
    stderr: 'pipe',
  })
}

interface Planted {
  readonly pid: number
  readonly file: string
  /** Text of the file without the fault; `faulty` is the text with it. */
  readonly source: string
  readonly faulty: string
}

/** Restores the file that a killed run has left. Throws if another run is active, or if the file has been edited. */
function putBack(): void {
  if (!existsSync(PLANTED)) return
  const { pid, file, source, faulty } = JSON.parse(readFileSync(PLANTED, 'utf8')) as Planted
  if (isRunning(pid))
    throw new Error(
      `process ${pid} has a fault planted in ${file}: wait for its end, or if it is another program, put the file right and remove ${PLANTED}`,
    )
  const path = join(ROOT, file)
  const text = readFileSync(path, 'utf8')
  if (text !== source && text !== faulty)
    throw new Error(`${file} may have the fault of a killed run: put the file right and remove ${PLANTED}`)
  if (text === faulty) {
    writeFileSync(path, source)
    process.stdout.write(`${file}: put back, a former run was killed\n`)
  }
  rmSync(PLANTED)
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    // No such process.
    return false
  }
}

putBack()
const isDryRun = process.argv.includes('--check')
const filters = process.argv.slice(2).filter((text) => text !== '--check')
const faults = readFaults().filter(({ line }) => filters.length === 0 || filters.some((text) => line.includes(text)))
let missed = 0
for (const fault of faults) {
  const result = await check(fault)
  if (result !== 'noticed') missed++
  else if (isDryRun) continue
  process.stdout.write(
    `${result === 'noticed' ? 'noticed' : 'MISSED '}  ${fault.what}${result === 'noticed' ? '' : `: ${result}`}\n`,
  )
}
process.stdout.write(`${faults.length - missed} of ${faults.length} faults ${isDryRun ? 'fit the code' : 'noticed'}\n`)
process.exit(missed === 0 && faults.length > 0 ? 0 : 1)

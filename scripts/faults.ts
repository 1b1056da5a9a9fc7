import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Plants the faults of test/faults.md one after the other and runs the test that has to notice each.
 *
 *   bun scripts/faults.ts            all of them
 *   bun scripts/faults.ts TEXT…      those whose line holds one of the texts
 *   bun scripts/faults.ts --check    only whether every line still fits the code; runs no test
 *
 * Run it whenever tests are removed. It changes files of the working tree and puts them back, also after Ctrl-C.
 */

const ROOT = join(import.meta.dir, '..')
const LIST = join(ROOT, 'test/faults.md')

/** A row: what it breaks, the file, the text that is there once and what stands in its place, the tests that must fail. */
const ROW = /^\| (?<what>[^|]+) \| (?<file>src\/[^ ]+) \| `(?<old>.+?)` → `(?<with>.*?)` \| (?<tests>test\/[^|]+) \|$/

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
    // A bar would end the cell.
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

/** Whether the tests fail while the fault is planted; what is wrong with the row otherwise. */
async function check({ file, old, instead, tests }: Fault): Promise<'noticed' | string> {
  const path = join(ROOT, file)
  if (!existsSync(path)) return `there is no ${file}`
  const missing = tests.find((test) => !existsSync(join(ROOT, test)))
  if (missing !== undefined) return `there is no ${missing}`
  const source = readFileSync(path, 'utf8')
  if (source.split(old).length !== 2) return `the text is there ${source.split(old).length - 1} times`
  if (isDryRun) return 'noticed'
  const restore = () => writeFileSync(path, source)
  const stop = () => {
    restore()
    process.exit(130)
  }
  process.once('SIGINT', stop)
  try {
    writeFileSync(
      path,
      source.replace(old, () => instead),
    )
    const run = Bun.spawn([process.execPath, 'test', '--isolate', ...tests], {
      cwd: ROOT,
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [output, code] = await Promise.all([new Response(run.stderr).text(), run.exited])
    if (code === 0) return 'no test fails'
    return /^\(fail\)|^error:/m.test(output) ? 'noticed' : `the tests did not run:\n${output}`
  } finally {
    process.off('SIGINT', stop)
    restore()
  }
}

const isDryRun = process.argv.includes('--check')
const wanted = process.argv.slice(2).filter((text) => text !== '--check')
const faults = readFaults().filter(({ line }) => wanted.length === 0 || wanted.some((text) => line.includes(text)))
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

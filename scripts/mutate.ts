import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Mutant, mutantsOf } from './mutants.ts'

/**
 * Mutation test of the folders that hold rules: changes one operator, condition, number or statement at a time and runs
 * the tests that execute its line. Prints the mutants that no test notices, and the score of each folder.
 *
 *   bun scripts/mutate.ts [--sample N] [--seed N] [PATH…]
 *
 * Takes 300 mutants unless told otherwise, the same ones for the same seed, or all with `--sample 0`. Works on copies of
 * the committed and changed files. First runs each test file alone to learn what it executes, which takes minutes. Reports
 * its progress on stderr.
 */

const ROOT = join(import.meta.dir, '..')
const RULES = ['src/domain', 'src/store', 'src/http/auth.ts', 'src/http/credentials.ts', 'src/http/requests.ts']
/** Parts of one engine have tests with faults, some of which need PostgreSQL. */
const NOT_MUTATED = /^src\/store\/(postgres|schema|copy)\/|\/ports?\b/
/** Too slow, or without a rule. */
const NOT_RUN = /^test\/(binary|browser|clients|installed|fuzz|bench|web|deploy|scripts|architecture)\b/
/** Numbers of test files that run together: most mutants are noticed by the first. */
const BATCHES = [4, 20, Number.POSITIVE_INFINITY]
/** Milliseconds after which a mutant counts as an endless loop, in addition to what its tests take. */
const LOOP_MS = 60_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: 'string', default: '300' }, seed: { type: 'string', default: '1' } },
})

interface TestFile {
  readonly path: string
  readonly ms: number
  /** Executed lines by file. */
  readonly lines: ReadonlyMap<string, ReadonlySet<number>>
}

interface Planted extends Mutant {
  readonly file: string
}

const tracked = (await Bun.$`git ls-files --cached --others --exclude-standard`.cwd(ROOT).text()).trim().split('\n')
const workers = Array.from({ length: availableParallelism() }, copyOfRepository)
try {
  const files = tracked.filter((path) => path.endsWith('.test.ts') && !NOT_RUN.test(path))
  const tests = await inParallel('test files', files, measure)
  tests.sort((a, b) => a.ms - b.ms)
  const mutants = sampled(chosenFiles().flatMap(mutantsIn))
  const noticed = await inParallel('mutants', mutants, async (mutant, worker) => {
    const isKilled = await isNoticed(mutant, tests, worker)
    if (!isKilled) printSurvivor(mutant)
    return isKilled
  })
  printScores(mutants, noticed)
} finally {
  for (const worker of workers) rmSync(worker, { recursive: true })
}

function copyOfRepository(): string {
  const folder = mkdtempSync(join(tmpdir(), 'podstep-mutants-'))
  for (const path of tracked) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(ROOT, path), join(folder, path))
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Calls `work` for all items, one at a time for each copy of the repository, and returns the results in order. */
async function inParallel<Item, Result>(
  name: string,
  items: readonly Item[],
  work: (item: Item, worker: string) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let done = 0
  const entries = items.entries()
  const runAll = async (worker: string) => {
    for (const [n, item] of entries) {
      results[n] = await work(item, worker)
      process.stderr.write(`\r${++done} of ${items.length} ${name} `)
    }
  }
  await Promise.all(workers.map(runAll))
  process.stderr.write('\n')
  return results
}

async function measure(path: string, worker: string): Promise<TestFile> {
  const start = performance.now()
  await runTests(worker, ['--coverage', '--coverage-reporter=lcov', '--coverage-dir=coverage', path])
  const ms = Math.ceil(performance.now() - start)
  const lines = new Map<string, Set<number>>()
  let executed = new Set<number>()
  for (const record of readFileSync(join(worker, 'coverage/lcov.info'), 'utf8').split('\n')) {
    const [kind, value = ''] = record.split(':')
    if (kind === 'SF') {
      executed = new Set()
      lines.set(value, executed)
    }
    const [line, hits] = value.split(',').map(Number)
    if (kind === 'DA' && line !== undefined && hits) executed.add(line)
  }
  rmSync(join(worker, 'coverage'), { recursive: true })
  return { path, ms, lines }
}

function chosenFiles(): string[] {
  const prefixes = positionals.length > 0 ? positionals : RULES
  return tracked.filter(
    (path) => path.endsWith('.ts') && !NOT_MUTATED.test(path) && prefixes.some((prefix) => path.startsWith(prefix)),
  )
}

function mutantsIn(file: string): Planted[] {
  return mutantsOf(file, readFileSync(join(ROOT, file), 'utf8')).map((mutant) => ({ file, ...mutant }))
}

/** Draws mutants by a linear congruential generator, so that a seed always means the same ones. */
function sampled(mutants: readonly Planted[]): Planted[] {
  let state = Number(values.seed)
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state
  }
  const drawn = mutants.map((mutant) => ({ mutant, key: next() })).sort((a, b) => a.key - b.key)
  const count = Number(values.sample) || mutants.length
  return drawn.slice(0, count).map(({ mutant }) => mutant)
}

async function isNoticed(mutant: Planted, tests: readonly TestFile[], worker: string): Promise<boolean> {
  const { file, start, end, text, line } = mutant
  const path = join(worker, file)
  const source = readFileSync(path, 'utf8')
  const covering = tests.filter(({ lines }) => lines.get(file)?.has(line))
  writeFileSync(path, source.slice(0, start) + text + source.slice(end))
  try {
    let from = 0
    for (const size of BATCHES) {
      const batch = covering.slice(from, from + size)
      from += batch.length
      const timeoutMs = LOOP_MS + 3 * batch.reduce((sum, { ms }) => sum + ms, 0)
      if (batch.length > 0 && !(await runTests(worker, ['--bail', ...batch.map((test) => test.path)], timeoutMs)))
        return true
    }
    return false
  } finally {
    writeFileSync(path, source)
  }
}

/** Whether all tests pass, within `most` milliseconds. */
async function runTests(cwd: string, args: readonly string[], timeoutMs?: number): Promise<boolean> {
  const { exited } = Bun.spawn([process.execPath, 'test', '--isolate', ...args], {
    cwd,
    stdout: 'ignore',
    stderr: 'ignore',
    ...(timeoutMs !== undefined && { timeout: timeoutMs }),
  })
  return (await exited) === 0
}

function printSurvivor({ file, start, end, text, line }: Planted): void {
  const before = readFileSync(join(ROOT, file), 'utf8').slice(start, end)
  process.stdout.write(`not noticed  ${file}:${line}  ${JSON.stringify(before)} → ${JSON.stringify(text)}\n`)
}

function printScores(mutants: readonly Planted[], noticed: readonly boolean[]): void {
  const folders = new Map<string, { noticed: number; all: number }>()
  for (const [n, { file }] of mutants.entries()) {
    const folder = file.split('/').slice(0, 3).join('/')
    const count = folders.get(folder) ?? { noticed: 0, all: 0 }
    folders.set(folder, { noticed: count.noticed + (noticed[n] ? 1 : 0), all: count.all + 1 })
  }
  for (const [folder, count] of [...folders].sort(([a], [b]) => (a < b ? -1 : 1)))
    process.stdout.write(`${folder}: ${count.noticed} of ${count.all}\n`)
  const total = noticed.filter(Boolean).length
  process.stdout.write(`${total} of ${mutants.length} mutants noticed\n`)
}

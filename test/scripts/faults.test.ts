import { afterEach, beforeEach, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const RIGHT = 'export const answer = 42\n'
const WRONG = 'export const answer = 41\n'

let root = ''
/** Resolves when the test in the small tree runs; it then waits forever. */
let planted = Promise.withResolvers<void>()
let server: Bun.Server<undefined>

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'podstep-faults-'))
  planted = Promise.withResolvers()
  server = Bun.serve({
    ...{ hostname: '127.0.0.1', port: 0 },
    fetch: () => {
      planted.resolve()
      return new Promise<Response>(() => undefined)
    },
  })
  for (const folder of ['scripts', 'src', 'test']) mkdirSync(join(root, folder))
  cpSync(join(import.meta.dir, '../../scripts/faults.ts'), join(root, 'scripts/faults.ts'))
  writeFileSync(join(root, 'src/answer.ts'), RIGHT)
  writeFileSync(join(root, 'test/faults.md'), '| It is less | src/answer.ts | `42` → `41` | test/answer.test.ts |\n')
  writeTest(`await fetch('${server.url.href}')`)
})

afterEach(async () => {
  await server.stop(true)
  rmSync(root, { recursive: true })
})

function writeTest(body: string): void {
  const text = `import { expect, test } from 'bun:test'
import { answer } from '../src/answer.ts'
test('answers', async () => { ${body} }, 300_000)
`
  writeFileSync(join(root, 'test/answer.test.ts'), text)
}

const source = () => readFileSync(join(root, 'src/answer.ts'), 'utf8')

function start(...args: string[]) {
  return Bun.spawn([process.execPath, join(root, 'scripts/faults.ts'), ...args], {
    ...{ cwd: root, stdout: 'pipe', stderr: 'pipe' },
  })
}

async function run(...args: string[]) {
  const child = start(...args)
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { out, err, code }
}

test('a fault is planted while its test runs, and then reverted', async () => {
  writeTest('expect(answer).toBe(42)')
  expect(await run()).toMatchObject({ code: 0, out: 'noticed  It is less\n1 of 1 faults noticed\n' })
  expect(source()).toBe(RIGHT)
  writeTest('expect(answer).toBeGreaterThan(40)')
  expect(await run()).toMatchObject({ code: 1, out: expect.stringContaining('MISSED   It is less: no test fails') })
  expect(source()).toBe(RIGHT)
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s reverts the fault and ends the running test', async (signal, code) => {
  const child = start()
  await planted.promise
  expect(source()).toBe(WRONG)
  child.kill(signal)
  // The pipe is closed when the test, which inherited it, has ended.
  await new Response(child.stderr).text()
  expect(await child.exited).toBe(code)
  expect(source()).toBe(RIGHT)
})

test('a fault left by a killed run is reverted by the next run or check', async () => {
  const child = start()
  await planted.promise
  child.kill('SIGKILL')
  await child.exited
  expect(source()).toBe(WRONG)
  const { out, code } = await run('--check')
  expect([code, source()]).toEqual([0, RIGHT])
  expect(out).toContain('src/answer.ts: put back, a former run was killed')
  expect(await run('--check')).toMatchObject({ code: 0, out: '1 of 1 faults fit the code\n' })
})

test('a file that was edited after a run was killed is not reverted', async () => {
  const child = start()
  await planted.promise
  child.kill('SIGKILL')
  await child.exited
  const edited = `${WRONG}// More.\n`
  writeFileSync(join(root, 'src/answer.ts'), edited)
  const { err, code } = await run('--check')
  expect([code, source()]).toEqual([1, edited])
  expect(err).toContain('src/answer.ts')
  // Reverted by hand.
  writeFileSync(join(root, 'src/answer.ts'), RIGHT)
  expect(await run('--check')).toMatchObject({ code: 0 })
  expect(existsSync(join(root, '.planted-fault'))).toBe(false)
})

test('a second run in the same tree is refused', async () => {
  const child = start()
  await planted.promise
  const { err, code } = await run('--check')
  expect([code, source()]).toEqual([1, WRONG])
  expect(err).toContain(`process ${child.pid}`)
  child.kill('SIGTERM')
  await child.exited
  expect(source()).toBe(RIGHT)
})

import process from 'node:process'

/* Allocates as much memory as possible, in the way its argument names, under the memory guard of the import reader. */

const WAYS: Readonly<Record<string, () => unknown>> = {
  buffers: () => Array.from({ length: 2000 }, () => Buffer.alloc(1_000_000, 1)),
  'one buffer': () => Buffer.alloc(2_000_000_000, 1),
  objects: () => JSON.parse(`[${'{"a":1},'.repeat(20_000_000)}0]`),
  texts: () => 'a,'.repeat(100_000_000).split(','),
}

const guard = new Worker(new URL('../../../src/transfer/process/memory-guard.ts', import.meta.url).href, { smol: true })
guard.addEventListener('open', () => {
  process.stdout.write(typeof WAYS[process.argv[2] ?? '']?.())
  // Reached only if the guard has failed.
  process.exit()
})

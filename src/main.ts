// First: what is imported below looks at the environment while it is loaded.
import './cli/force-production.ts'
import { READ_FEEDS, READ_IMPORTS } from './processes/start-process.ts'

/** The executable is three programs: the one that people start, and the child processes that it starts. */
if (process.argv[2] === READ_FEEDS) await import('./worker/main.ts')
else if (process.argv[2] === READ_IMPORTS) {
  const { readImports } = await import('./transfer/process/main.ts')
  // Here, since the address of a thread is relative to this file in the executable.
  readImports(new URL('./transfer/process/memory-guard.ts', import.meta.url))
} else await import('./cli/main.ts')

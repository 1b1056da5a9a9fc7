// Must come first: modules imported below read the environment while loading.
import './cli/force-production.ts'
import { READ_FEEDS, READ_IMPORTS } from './processes/start-process.ts'

/** The executable contains three programs: the command line and its two child processes. */
if (process.argv[2] === READ_FEEDS) await import('./worker/main.ts')
else if (process.argv[2] === READ_IMPORTS) {
  const { readImports } = await import('./transfer/process/main.ts')
  // Resolved here, since URLs of threads are relative to this file in the executable.
  readImports(new URL('./transfer/process/memory-guard.ts', import.meta.url))
} else await import('./cli/main.ts')

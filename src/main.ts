// First: what is imported below looks at the environment while it is loaded.
import './cli/force-production.ts'
import { READ_FEEDS } from './processes/start-process.ts'

/** The executable is two programs: the one that people start, and the feed worker, which that one starts. */
if (process.argv[2] === READ_FEEDS) await import('./worker/main.ts')
else await import('./cli/main.ts')

import { lockDataDir } from '../../../src/store/sqlite/core/open.ts'

/** Holds the lock of a server until it is killed. Keeps a reference, or the garbage collector would release the lock. */
const release = lockDataDir(process.argv[2] ?? '')
process.once('exit', release)
process.stdout.write('locked\n')
setInterval(() => undefined, 60_000)

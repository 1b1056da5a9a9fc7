import { lockDataDir } from '../../../src/store/sqlite/core/open.ts'

/** A server as far as its lock goes, until it is killed. It must keep hold of the lock, or the garbage collector lets it go. */
const release = lockDataDir(process.argv[2] ?? '')
process.once('exit', release)
process.stdout.write('locked\n')
setInterval(() => undefined, 60_000)

import { setDefaultTimeout } from 'bun:test'

/** Ends hanging tests. Far longer than any test takes on a busy machine, so that no test depends on it. */
setDefaultTimeout(600_000)

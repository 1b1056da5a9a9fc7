import { setDefaultTimeout } from 'bun:test'

/** Ends a test that hangs. Far longer than the longest test takes on a busy machine: no test is measured by it. */
setDefaultTimeout(600_000)

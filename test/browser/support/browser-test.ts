import { describe, setDefaultTimeout } from 'bun:test'
import { requireBinary } from '../../binary/support/binary.ts'
import { type Demo, type DemoOptions, startDemo } from '../../web/support/demo.ts'
import { BROWSER } from '../../web/support/web-browser.ts'

/** Milliseconds that the longest test may take on a small and busy machine. Each step of it ends after 30 seconds. */
const PATIENCE = 300_000

/** `describe` for tests that need a browser. Without one they are skipped, which pages.test.ts reports once for all. */
export function describeInBrowser(name: string, tests: () => void): void {
  setDefaultTimeout(PATIENCE)
  describe.skipIf(BROWSER === undefined)(name, tests)
}

/** The executable, with sample data unless asked otherwise. */
export function startBinary(options: Omit<DemoOptions, 'program'> = {}): Promise<Demo> {
  return startDemo({ ...options, program: [requireBinary()] })
}

import { describe } from 'bun:test'
import { requireBinary } from '../../binary/support/binary.ts'
import { type Demo, type DemoOptions, startDemo } from '../../web/support/demo.ts'
import { BROWSER } from '../../web/support/web-browser.ts'

/** What a page may take on a small and busy machine, in milliseconds. */
export const PATIENCE = 60_000

/** `describe` for tests that need a browser; they are left out where there is none, and pages.test.ts says so for all. */
export function describeInBrowser(name: string, tests: () => void): void {
  describe.skipIf(BROWSER === undefined)(name, tests)
}

/** The executable, with sample data unless asked otherwise. */
export function startBinary(options: Omit<DemoOptions, 'program'> = {}): Promise<Demo> {
  return startDemo({ ...options, program: [requireBinary()] })
}

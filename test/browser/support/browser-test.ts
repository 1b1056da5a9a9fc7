import { describe } from 'bun:test'
import { requireBinary } from '../../binary/support/binary.ts'
import { type Demo, type DemoOptions, startDemo } from '../../web/support/demo.ts'
import { BROWSER } from '../../web/support/web-browser.ts'

/** `describe` for tests that need a browser. They are skipped without one, which looks.test.ts reports. */
export function describeInBrowser(name: string, tests: () => void): void {
  describe.skipIf(BROWSER === undefined)(name, tests)
}

/** Starts the executable, by default with sample data. */
export function startBinary(options: Omit<DemoOptions, 'program'> = {}): Promise<Demo> {
  return startDemo({ ...options, program: [requireBinary()] })
}

import { messageOf } from '../../platform/unknown.ts'

export interface Finding {
  readonly status: 'ok' | 'warning' | 'error' | 'skipped'
  /** What was seen, or why the check was skipped. */
  readonly observed: string
  readonly advice?: string
}

export interface Check {
  readonly name: string
  run(): Finding | Promise<Finding>
}

export interface CheckResult extends Finding {
  readonly check: string
}

export const ok = (observed: string): Finding => ({ status: 'ok', observed })
export const skipped = (why: string): Finding => ({ status: 'skipped', observed: why })
export const warning = (observed: string, advice: string): Finding => ({ status: 'warning', observed, advice })
export const failed = (observed: string, advice: string): Finding => ({ status: 'error', observed, advice })

/** Runs one after the other, so that what a check has asked for does not slow the next one down. */
export async function runChecks(
  checks: readonly Check[],
  onResult: (result: CheckResult) => void,
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = []
  for (const check of checks) {
    const result = { check: check.name, ...(await resultOf(check)) }
    onResult(result)
    results.push(result)
  }
  return results
}

async function resultOf(check: Check): Promise<Finding> {
  try {
    return await check.run()
  } catch (error) {
    return failed(`the check could not be made: ${messageOf(error)}`, 'see whether another check tells why')
  }
}

const LABELS = { ok: 'ok', warning: 'WARNING', error: 'ERROR', skipped: 'skipped' }

/** A line for people, and a second one if there is something to do. */
export function resultLines({ check, status, observed, advice }: CheckResult): string {
  const line = `${LABELS[status].padEnd(8)} ${check.padEnd(12)} ${observed}\n`
  return advice === undefined ? line : `${line}${' '.repeat(22)}what to do: ${advice}\n`
}

export function resultsJson(results: readonly CheckResult[]): string {
  const checks = results.map(({ check, status, observed, advice }) => ({
    ...{ check, status, observed },
    what_to_do: advice ?? null,
  }))
  return `${JSON.stringify({ ok: !hasError(results), checks }, null, 2)}\n`
}

export function hasError(results: readonly CheckResult[]): boolean {
  return results.some(({ status }) => status === 'error')
}

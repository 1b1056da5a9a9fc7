const missed: string[] = []

export function say(line = ''): void {
  process.stdout.write(`${line}\n`)
}

type Limit = { readonly atLeast: number } | { readonly atMost: number }

export function isShort(value: number, limit: Limit): boolean {
  return !('atLeast' in limit ? value >= limit.atLeast : value <= limit.atMost)
}

/** Prints a figure beside what was wanted. */
export function target(name: string, value: number, unit: string, limit: Limit): void {
  const wanted = 'atLeast' in limit ? `>= ${limit.atLeast}` : `<= ${limit.atMost}`
  const passed = !isShort(value, limit)
  const line = `${name}: ${number(value)}${unit} (wanted ${wanted}${unit})`
  if (!passed) missed.push(line)
  say(`  ${passed ? 'pass' : 'FAIL'}  ${line}`)
}

export function summary(): void {
  say()
  say(missed.length === 0 ? 'All targets reached.' : `Not reached:\n${missed.map((line) => `  ${line}`).join('\n')}`)
}

function number(value: number): string {
  return value.toFixed(value < 10 ? 2 : 0)
}

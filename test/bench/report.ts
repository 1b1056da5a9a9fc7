import type { Figures } from './compare.ts'
import type { Memory } from './processes.ts'

const missed: string[] = []

export function say(line = ''): void {
  process.stdout.write(`${line}\n`)
}

/** Prints a figure beside what was wanted. */
export function target(
  name: string,
  value: number,
  unit: string,
  limit: { atLeast: number } | { atMost: number },
): void {
  const [wanted, passed] =
    'atLeast' in limit ? [`>= ${limit.atLeast}`, value >= limit.atLeast] : [`<= ${limit.atMost}`, value <= limit.atMost]
  const line = `${name}: ${number(value)}${unit} (wanted ${wanted}${unit})`
  if (!passed) missed.push(line)
  say(`  ${passed ? 'pass' : 'FAIL'}  ${line}`)
}

export function summary(): void {
  say()
  say(missed.length === 0 ? 'All targets reached.' : `Not reached:\n${missed.map((line) => `  ${line}`).join('\n')}`)
}

export const TABLE_HEAD = [
  '| what | server | requests/s | p50 ms | p99 ms | server CPU µs/request | generator CPU | RSS MB (peak) | ratio |',
  '|---|---|--:|--:|--:|--:|--:|--:|--:|',
].join('\n')

export function row(what: string, server: string, figures: Figures, memory: Memory, ratio = ''): string {
  const { perSecond, p50, p99, cpuMicros, generatorCpu } = figures
  const cells = [
    what,
    server,
    Math.round(perSecond),
    p50.toFixed(2),
    p99.toFixed(2),
    cpuMicros.toFixed(0),
    `${Math.round(generatorCpu * 100)} %`,
    `${Math.round(memory.rss)} (${Math.round(memory.peak)})`,
    ratio,
  ]
  return `| ${cells.join(' | ')} |`
}

function number(value: number): string {
  return value.toFixed(value < 10 ? 2 : 0)
}

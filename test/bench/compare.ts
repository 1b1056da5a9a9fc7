import { type LoadOptions, type LoadResult, runLoad, type Source } from './load.ts'
import { median } from './numbers.ts'
import type { ServerProcess } from './processes.ts'

/** A server under load, and what to ask it. */
export interface Contestant {
  readonly server: ServerProcess
  readonly source: Source
  readonly check?: LoadOptions['check']
}

export interface Pace {
  readonly connections: number
  readonly rounds: number
  readonly roundMs: number
}

export interface Figures {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Microseconds of processor time per request, all threads of the server. */
  readonly cpuMicros: number
  readonly generatorCpu: number
  /** Requests per second by those of another contestant: the median over neighbouring rounds. */
  ratioTo(other: Figures): number
  /** Processor time per request by that of another contestant, in the same way. */
  cpuRatioTo(other: Figures): number
  readonly rounds: readonly Round[]
}

interface Round extends LoadResult {
  readonly cpuMicros: number
}

/**
 * Measures servers in turns, A B C C B A A B …, so that whatever else the machine does hits all alike. Answers in the order of
 * `contestants`.
 */
export async function compare(contestants: readonly Contestant[], pace: Pace): Promise<Figures[]> {
  for (const contestant of contestants) await round(contestant, pace, Math.max(1000, pace.roundMs))
  const entries = contestants.map((contestant) => ({ contestant, rounds: [] as Round[] }))
  for (let index = 0; index < pace.rounds; index++) {
    for (const { contestant, rounds } of index % 2 === 0 ? entries : entries.toReversed())
      rounds.push(await round(contestant, pace))
  }
  return entries.map(({ rounds }) => figures(rounds))
}

async function round({ server, source, check }: Contestant, pace: Pace, ms = pace.roundMs): Promise<Round> {
  const before = server.cpuSeconds()
  const result = await runLoad({
    port: server.port,
    connections: pace.connections,
    source,
    maxMs: ms,
    ...(check && { check }),
  })
  return { ...result, cpuMicros: ((server.cpuSeconds() - before) * 1e6) / result.requests }
}

function figures(rounds: readonly Round[]): Figures {
  const of = (pick: (round: Round) => number) => median(rounds.map(pick))
  return {
    perSecond: of((each) => each.perSecond),
    p50: of((each) => each.p50),
    p99: of((each) => each.p99),
    cpuMicros: of((each) => each.cpuMicros),
    generatorCpu: of((each) => each.generatorCpu),
    ratioTo: (other) =>
      median(rounds.map(({ perSecond }, index) => perSecond / (other.rounds[index]?.perSecond ?? Number.NaN))),
    cpuRatioTo: (other) =>
      median(rounds.map(({ cpuMicros }, index) => cpuMicros / (other.rounds[index]?.cpuMicros ?? Number.NaN))),
    rounds,
  }
}

import type { Family } from '../../platform/metrics.ts'

export interface Job {
  readonly name: string
  readonly pattern: string
  /** Whether it also runs at startup, in place of runs missed while the server was off. */
  readonly isForStart?: boolean
  run(): unknown
}

/** Optional parts of a service, which `services.ts` collects. */
export interface Service {
  readonly jobs?: readonly Job[]
  /** Metrics for /metrics, read when Prometheus asks. */
  counters?(): readonly Family[] | Promise<readonly Family[]>
  /** Starts no new work, and leaves the rest to the next start. */
  stop?(): void
}

import type { Family } from '../../platform/metrics.ts'

export interface Job {
  readonly name: string
  readonly pattern: string
  /** Whether it also runs when the server starts, for what fell due while nothing ran. */
  readonly isForStart?: boolean
  run(): unknown
}

/** Parts that a service may have apart from the methods its users call; `services.ts` collects them. */
export interface Service {
  readonly jobs?: readonly Job[]
  /** Metrics for /metrics, read when Prometheus asks. */
  counters?(): readonly Family[] | Promise<readonly Family[]>
  /** Begins nothing more and leaves the rest to the next start. */
  stop?(): void
}

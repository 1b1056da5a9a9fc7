import type { Clock, Timer } from '../platform/clock.ts'
import { createHistogram, type Family, histogramSamples } from '../platform/metrics.ts'

/** Milliseconds from one look to the next: what keeps all requests waiting for half of that is seen most of the time. */
const LOOK_MS = 200

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** Measures how much later than wanted a timer fires: for so long everything that was to be done has waited. */
export function createEventLoopMonitor(timer: Timer, clock: Pick<Clock, 'monotonic'>) {
  const delays = createHistogram(SECONDS)
  let callOff = look()

  function look(): () => void {
    const due = clock.monotonic() + LOOK_MS
    return timer(LOOK_MS, () => {
      delays.observe(Math.max(0, clock.monotonic() - due) / 1000)
      callOff = look()
    })
  }

  return {
    read(): Family {
      const name = 'podstep_event_loop_delay_seconds'
      return {
        name,
        help: 'Seconds by which work on the event loop began later than wanted, looked at five times a second.',
        type: 'histogram',
        values: histogramSamples(name, delays.read()),
      }
    },
    stop: (): void => callOff(),
  }
}

import { type Finding, found, type PostgresFacts } from '../domain/server/doctor.ts'
import { messageOf } from '../platform/unknown.ts'

const CLOCK_SECONDS = 60
/** Connections that one server opens under load. */
const CONNECTIONS = 17
/** A request makes several round trips. */
const ROUND_TRIP_MS = 20

/** Returns the most important finding about PostgreSQL. */
export async function postgresFinding(read: () => Promise<PostgresFacts>): Promise<Finding> {
  let facts: PostgresFacts
  try {
    facts = await read()
  } catch (error) {
    return found('postgres_unusable', {}, { cause: messageOf(error) })
  }
  const { version, off, connectionsLeft: n, secondsApart: seconds, roundTripMs: ms } = facts
  if (off !== '') return found('postgres_unsafe', { settings: off })
  if (n < CONNECTIONS) return found('postgres_full', { n })
  if (seconds > CLOCK_SECONDS) return found('postgres_clock', { seconds })
  if (ms > ROUND_TRIP_MS) return found('postgres_far', { ms })
  return found('postgres_ok', { version, ms, n })
}

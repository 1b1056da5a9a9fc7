import { clientLabel } from '../domain/accounts/sessions.ts'
import type { ActiveApp, ActivityLog, NotedActivity } from '../domain/sync/activity/activity.ts'
import type { Family } from '../platform/metrics.ts'

/** Apps that are known to synchronize (docs/apps.md), by the first word of what they call themselves, in lower case. */
const APPS: ReadonlyMap<string, string> = new Map(
  [
    ...['Amarok', 'AntennaPod', 'Cardo', 'Clementine', 'FocusPodcast', 'gPodder', 'Kasts', 'Kodi', 'mygpoclient'],
    ...['PinePods', 'Podcini', 'podstep', 'Strawberry', 'YourPods'],
  ].map((name) => [name.toLowerCase(), name]),
)

/** User-Agents whose app has been worked out: as with activity, a household has a dozen. */
const KNOWN_MAX = 500

/** A word of a closed list: nobody can make a metric grow by inventing names. */
function appOf({ userAgent, isBrowser }: ActiveApp): string {
  const label = clientLabel(userAgent)?.toLowerCase() ?? ''
  return isBrowser || userAgent.startsWith('Mozilla/')
    ? 'browser'
    : (APPS.get(/^[a-z]*/.exec(label)?.[0] ?? '') ?? 'other')
}

export function createSyncTally() {
  const counts = new Map<string, Map<string, number>>()
  const known = new Map<string, string>()

  function knownAppOf(app: ActiveApp): string {
    // What is long is made up, and would be kept in memory.
    if (app.isBrowser || app.userAgent.length > 200) return appOf(app)
    const name = known.get(app.userAgent) ?? appOf(app)
    if (known.size >= KNOWN_MAX) known.clear()
    known.set(app.userAgent, name)
    return name
  }

  function note(app: ActiveApp, { kind }: NotedActivity): void {
    const name = knownAppOf(app)
    const kinds = counts.get(name) ?? new Map<string, number>()
    counts.set(name, kinds)
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  }

  return {
    counting: (activity: ActivityLog): ActivityLog => ({
      ...activity,
      note(app, what) {
        note(app, what)
        activity.note(app, what)
      },
    }),

    read: (): Family => ({
      name: 'podstep_syncs_total',
      help: 'What apps have sent and fetched, by app ("other" if it is not a known one) and kind of activity.',
      type: 'counter',
      values: [...counts].flatMap(([app, kinds]) =>
        [...kinds].map(([kind, value]) => ({ value, labels: { app, kind } })),
      ),
    }),
  }
}

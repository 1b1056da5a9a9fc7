import type { Answer } from '../../api/client.ts'
import { useDeviceCaptions } from '../../parts/device-captions.ts'
import { date, fill, t } from '../../text/index.ts'
import { clock } from '../podcast/progress.ts'

type Action = Answer<'listEpisodeActions'>['actions'][number]

const SHOWN = 50

/** What the person's apps have said about it, the last first. */
export function History({ actions }: { actions: readonly Action[] }) {
  const texts = t().podcast
  const captionOf = useDeviceCaptions()
  if (actions.length === 0) return null
  return (
    <section class="stack">
      <h2>{texts.history}</h2>
      <ul class="episode-history small">
        {actions.slice(0, SHOWN).map((action) => (
          <li key={`${action.timestamp} ${action.device ?? ''} ${action.position ?? ''}`} class="row">
            <time class="muted" dateTime={`${action.timestamp}Z`}>
              {date(action.timestamp, 'time')}
            </time>
            <span class="chip">{action.device ? captionOf(action.device) : t().common.unknown}</span>
            <span>{said(action)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function said({ action, position, total }: Action): string {
  const { actions, playedUpTo } = t().podcast
  if (position === undefined) return actions[action] ?? action
  return fill(playedUpTo, { position: clock(position), total: total ? clock(total) : '?' })
}

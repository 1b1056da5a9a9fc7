import { useSignal } from '@preact/signals'
import { type Answer, call } from '../../api/client.ts'
import { useDeviceCaptions } from '../../components/device.tsx'
import { ActionButton, QueryState } from '../../components/feedback/notice.tsx'
import { useFocusAdded } from '../../components/forms/focus.ts'
import { Skeleton } from '../../components/layout/page.tsx'
import { useQuery } from '../../hooks/use-query.ts'
import { date, t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { clock } from '../podcast/episode-item.tsx'

type Event = Answer<'getHistory'>['events'][number]

const PER_PAGE = 20

/** What was played, latest first. */
export function History() {
  const shown = useSignal<readonly Event[]>([])
  const { list, expect } = useFocusAdded<HTMLOListElement>(shown.value.length)
  const captionOf = useDeviceCaptions()
  const query = useQuery(async (signal) => {
    const page = await call('getHistory', { query: { page: 0, per_page: PER_PAGE }, signal })
    shown.value = page.events
    return page.total
  })
  const total = query.data.value

  async function more(): Promise<void> {
    const page = Math.floor(shown.value.length / PER_PAGE)
    const { events } = await call('getHistory', { query: { page, per_page: PER_PAGE } })
    expect()
    shown.value = [...shown.value, ...events]
  }

  return (
    <section class="stack">
      <h2>{t('listening.history')}</h2>
      <QueryState query={query} skeleton={<Skeleton height="3.5rem" count={6} />} />
      {total === 0 && <p class="muted">{t('listening.noHistory')}</p>}
      {total !== undefined && total > 0 && (
        <>
          <ol class="listening-history" ref={list}>
            {shown.value.map((event, index) => (
              <HistoryItem key={index} event={event} captionOf={captionOf} />
            ))}
          </ol>
          {shown.value.length < total && (
            <p>
              <ActionButton work={more}>{t('listening.more')}</ActionButton>
            </p>
          )}
        </>
      )}
    </section>
  )
}

function HistoryItem({ event, captionOf }: { event: Event; captionOf: (device: string) => string }) {
  return (
    <li>
      <p>
        <a href={href('/episode', { podcast: event.podcast, url: event.episode })} dir="auto" data-item="">
          {event.episode_title}
        </a>{' '}
        <span class="muted" dir="auto">
          {event.podcast_title}
        </span>
      </p>
      <p class="row small muted">
        <time dateTime={`${event.timestamp}Z`}>{date(event.timestamp, 'time')}</time>
        {event.position !== undefined && (
          <span>
            {t('listening.position', {
              position: clock(event.position),
              total: event.total ? clock(event.total) : '?',
            })}
          </span>
        )}
        {event.device !== undefined && event.device !== '' && (
          <span>{t('listening.on', { device: captionOf(event.device) })}</span>
        )}
      </p>
    </li>
  )
}

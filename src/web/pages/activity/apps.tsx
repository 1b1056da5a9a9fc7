import { type Answer, call } from '../../api/client.ts'
import { Icon } from '../../components/icon.tsx'
import { clientName } from '../../locales/client-name.ts'
import { findText, number, t } from '../../locales/index.ts'
import { TimelineList, useTimeline } from './timeline.tsx'

type Activity = Answer<'listActivity'>['items'][number]

/** A timeline of requests by the user's apps, which shows whether and how they sync. */
export function AppTimeline() {
  const timeline = useTimeline<Activity>((before, signal) =>
    call('listActivity', {
      query: { ...(before !== undefined && { before: String(before) }) },
      ...(signal && { signal }),
    }),
  )
  return (
    <TimelineList
      timeline={timeline}
      emptyTitle={t('activity.noApps')}
      emptyText={t('activity.noAppsText')}
      keyOf={({ time, since, kind, device, app, reason }) => `${time} ${since} ${kind} ${device} ${app} ${reason}`}
    >
      {(item) => (
        <div class="stack-small timeline-text">
          <p dir="auto">
            {item.kind === 'refused' && <Icon name="warning" />} {sentence(item)}
          </p>
          <p class="muted small">{details(item).join(' · ')}</p>
        </div>
      )}
    </TimelineList>
  )
}

function sentence(item: Activity): string {
  const { kind, reason, added, removed, items } = item
  const what = findText(`activity.did.${kind}`) ?? kind
  if (kind === 'refused') return `${what}: ${refusal(reason)}`
  const counts = [
    added > 0 ? t('activity.counts.added', { n: added }) : '',
    removed > 0 ? t('activity.counts.removed', { n: removed }) : '',
    countOf(kind, items),
  ].filter(Boolean)
  return counts.length === 0 ? what : `${what}: ${counts.join(', ')}`
}

/** Returns the number of items as text; '' unless it is meaningful, as for lists and episode actions. */
function countOf(kind: string, items: number): string {
  if (items === 0) return ''
  if (kind.endsWith('_actions')) return t('activity.counts.actions', { n: items })
  return kind.endsWith('_list') ? t('common.podcasts', { n: items }) : ''
}

function refusal(reason: string | null): string {
  return findText(`errors.codes.${reason ?? ''}`) ?? reason ?? t('common.unknown')
}

function details({ device, device_caption: caption, app, by, count }: Activity): string[] {
  const place = caption || device || (by === 'browser' ? t('activity.browser') : '')
  const client = clientName(app) || (place === '' ? t('activity.someone') : '')
  return [place, client, count > 1 ? t('activity.times', { n: number(count) }) : ''].filter(Boolean)
}

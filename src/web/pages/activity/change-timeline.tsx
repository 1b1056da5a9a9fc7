import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { attempt } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { FormDialog } from '../../components/forms/dialog.tsx'
import { Icon } from '../../components/icon.tsx'
import { Artwork } from '../../components/podcast/artwork.tsx'
import { podcastHref } from '../../components/podcast/podcast-item.tsx'
import { setTo } from '../../hooks/setters.ts'
import { useHints } from '../../hooks/use-hints.ts'
import { date, t } from '../../locales/index.ts'
import { ensureDevices, groups } from '../../store/subscriptions.ts'
import { toast } from '../../store/toasts.ts'
import { alsoUndone, appOf, type Change, kindOf, restoreBefore } from './changes.ts'
import { TimelineList, useTimeline } from './timeline.tsx'

/** A timeline of subscription changes, which the user can undo. */
export function ChangeTimeline() {
  const timeline = useTimeline<Change>((before, signal) =>
    call('listChanges', {
      query: { ...(before !== undefined && { before: String(before) }) },
      ...(signal && { signal }),
    }),
  )
  useHints(['subscriptions', 'devices'], timeline.query.reload)
  const pendingUndo = useSignal<{ readonly change: Change; readonly others: number } | undefined>(undefined)
  useEffect(() => {
    // Without the groups, the question would not count changes of other devices in the sync group.
    void attempt(ensureDevices)
  }, [])

  /** Restores the lists and offers to undo that. A restore is itself a change, and now the newest one. */
  async function restore(change: Change): Promise<void> {
    await call('restoreLists', { body: restoreBefore(change) })
    await timeline.query.reload()
    const restored = timeline.items.value.find((item) => kindOf(item) === 'restored')
    toast(t('activity.undone'), {
      subject: 'activity',
      ...(restored?.can_undo && {
        action: { label: t('common.undo'), run: () => void attempt(() => restore(restored), 'activity') },
      }),
    })
  }

  async function press(change: Change): Promise<void> {
    // Apps may have made changes since the page was loaded, which the restore would also undo.
    await attempt(async () => {
      await timeline.query.reload()
      const others = alsoUndone(timeline.items.value, change, groups.value).length
      if (others > 0) pendingUndo.value = { change, others }
      else await restore(change)
    }, 'activity')
  }

  return (
    <>
      <TimelineList
        timeline={timeline}
        emptyTitle={t('activity.noChanges')}
        emptyText={t('activity.noChangesText')}
        keyOf={({ id }) => id}
      >
        {(change) => <ChangeItem change={change} onUndo={() => press(change)} />}
      </TimelineList>
      {pendingUndo.value && (
        <FormDialog
          title={t('activity.undoTitle')}
          submit={t('activity.undoSubmit')}
          onClose={setTo(pendingUndo, undefined)}
          onSubmit={() => restore(pendingUndo.value?.change as Change)}
        >
          <p>{sentence(pendingUndo.value.change)}</p>
          <p>{t('activity.undoOthers', { n: pendingUndo.value.others, when: whenOf(pendingUndo.value.change) })}</p>
        </FormDialog>
      )}
    </>
  )
}

function whenOf({ time }: Change): string {
  return date(new Date(time * 1000).toISOString().slice(0, 19), 'time')
}

function ChangeItem({ change, onUndo }: { change: Change; onUndo: () => Promise<void> }) {
  const isBusy = useSignal(false)
  async function press(): Promise<void> {
    isBusy.value = true
    await onUndo()
    isBusy.value = false
  }
  const what = sentence(change)
  const app = appOf(change)
  return (
    <>
      <div class="stack-small timeline-text">
        <p dir="auto">{what}</p>
        <Podcasts sign="plus" podcasts={change.added} count={change.added_count} />
        <Podcasts sign="cross" podcasts={change.removed} count={change.removed_count} />
        {app !== '' && <p class="muted small">{t('activity.with', { app })}</p>}
      </div>
      {change.can_undo && change.added_count + change.removed_count > 0 && (
        <Button kind="quiet" icon="undo" about={what} isBusy={isBusy.value} onClick={press}>
          {t('common.undo')}
        </Button>
      )}
    </>
  )
}

/** Describes a change in a sentence without a full stop. */
function sentence(change: Change): string {
  const { added_count: added, removed_count: removed } = change
  const device = change.device_caption || change.device || ''
  switch (kindOf(change)) {
    case 'synced':
      return t('activity.kinds.synced')
    case 'joined':
      return t('activity.kinds.joined', { device })
    case 'readdressed':
      return t('activity.kinds.readdressed', { n: Math.max(added, removed) })
    case 'imported':
      return t('activity.kinds.imported', { n: added })
    case 'restored':
      return t('activity.kinds.restored')
    case 'deviceDeleted':
      return t('activity.kinds.deviceDeleted', { device })
    case 'changed':
      return changed(device || t('activity.someone'), added, removed)
  }
}

function changed(device: string, added: number, removed: number): string {
  if (removed === 0) return t('activity.kinds.added', { device, n: added })
  if (added === 0) return t('activity.kinds.removed', { device, n: removed })
  return t('activity.kinds.both', { device, added, n: removed })
}

interface PodcastsProps {
  readonly sign: 'plus' | 'cross'
  /** The first few podcasts. */
  readonly podcasts: Change['added']
  readonly count: number
}

/** Names of added or removed podcasts, linked to their pages. */
function Podcasts({ sign, podcasts, count }: PodcastsProps) {
  if (count === 0) return null
  const isAdded = sign === 'plus'
  return (
    <p class="row timeline-podcasts small">
      <Icon name={sign} />
      <span class="hidden-text">{isAdded ? t('activity.addedList') : t('activity.removedList')}</span>
      {podcasts.map(({ url, title }) => (
        <a key={url} href={podcastHref(url)}>
          <Artwork url={url} title={title} size={64} />
          <span dir="auto">{title}</span>
        </a>
      ))}
      {count > podcasts.length && <span class="muted">{t('activity.andMore', { n: count - podcasts.length })}</span>}
    </p>
  )
}

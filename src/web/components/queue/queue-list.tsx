import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useHints } from '../../hooks/use-hints.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { duration, t } from '../../locales/index.ts'
import { keyOf, type ListedEpisode, toPlayable } from '../../store/episodes/lists.ts'
import { loadQueue, moveInQueue, moveItem, queue } from '../../store/episodes/queue.ts'
import { ensureAccountSettings, keepsPlaying, setKeepPlaying } from '../../store/sync/account-settings.ts'
import { useDeviceCaptions } from '../device.tsx'
import { attempt, EmptyState, QueryState } from '../feedback/notice.tsx'
import { Switch } from '../forms/choice.tsx'
import { restoreFocus } from '../forms/focus.ts'
import { useFolded } from '../forms/folded.tsx'
import { MenuItem } from '../forms/menu.tsx'
import { Icon } from '../icon.tsx'
import { RowSkeleton } from '../layout/skeletons.tsx'
import { EpisodeRow } from '../podcast/episode-row.tsx'
import { targetOf } from './drag.ts'
import { dequeue } from './queue-actions.ts'

/** Number of episodes to show before the rest is folded. */
const UNFOLDED = 100

/** Loads the queue and keeps it up to date while the component is mounted. */
export function useQueue() {
  const query = useQuery(async () => {
    await loadQueue()
    return true
  })
  // Episodes leave the queue when they have been played, so changes to episodes do not affect an empty queue.
  useHints(['queue', 'episodes'], (hints) =>
    queue.peek()?.length === 0 && hints.every(({ topic }) => topic === 'episodes')
      ? undefined
      : loadQueue().catch(() => undefined),
  )
  return query
}

/** The queue. Users reorder it by dragging, with keys, or in the menu of each episode. */
export function QueueList() {
  const query = useQueue()
  const items = queue.value
  if (!items) return <QueryState query={query} skeleton={<RowSkeleton count={5} />} />
  if (items.length === 0) return <EmptyState title={t('queue.emptyTitle')} text={t('queue.empty')} />
  return <Rows items={items} />
}

/** Returns the number of episodes and the time left to play, if that is at least a minute. */
export function queueSummary(items: readonly ListedEpisode[]): string {
  const seconds = items.reduce(
    (sum, { episode, total, position = 0 }) => sum + Math.max(0, (total || (episode.duration ?? 0)) - position),
    0,
  )
  const count = t('queue.count', { n: items.length })
  return seconds < 60 ? count : `${count} · ${duration(seconds)}`
}

interface Drag {
  readonly from: number
  readonly to: number
}

function Rows({ items }: { readonly items: readonly ListedEpisode[] }) {
  const deviceName = useDeviceCaptions()
  const drag = useSignal<Drag | undefined>(undefined)
  const announced = useSignal('')
  const { from, to } = drag.value ?? { from: 0, to: 0 }
  const { shown, list, more } = useFolded<ListedEpisode, HTMLOListElement>(moveItem(items, from, to), UNFOLDED)

  function move({ episode }: ListedEpisode, index: number): void {
    const place = Math.max(0, Math.min(items.length - 1, index))
    announced.value = t('queue.moved', { title: episode.title, n: place + 1, total: items.length })
    void attempt(() => moveInQueue(episode.url, place), 'queue')
  }

  function press(event: KeyboardEvent, item: ListedEpisode, index: number): void {
    const place = placeByKey(event.key, index, items.length)
    const { currentTarget: handle } = event
    if (place === undefined || !(handle instanceof HTMLElement)) return
    event.preventDefault()
    move(item, place)
    // Moving the row in the document takes the focus from the handle.
    restoreFocus(handle)
    requestAnimationFrame(() => handle.scrollIntoView({ block: 'nearest' }))
  }

  function grab(event: PointerEvent, index: number): void {
    if (event.button !== 0) return
    event.preventDefault()
    // The list captures the pointer because rows change places while one is dragged.
    list.current?.setPointerCapture(event.pointerId)
    drag.value = { from: index, to: index }
  }

  function dragTo({ clientY }: PointerEvent): void {
    const rows = [...(list.current?.children ?? [])]
    if (!drag.value) return
    const target = targetOf(
      rows.map((row) => row.getBoundingClientRect()),
      drag.value.to,
      clientY,
    )
    if (target === drag.value.to) return
    drag.value = { ...drag.value, to: target }
    rows[target]?.scrollIntoView({ block: 'nearest' })
  }

  function drop(): void {
    const dragged = drag.value
    drag.value = undefined
    const item = dragged && items[dragged.from]
    if (item && dragged.to !== dragged.from) move(item, dragged.to)
  }

  // The queue may change on another device while a row is dragged.
  useEffect(() => {
    drag.value = undefined
  }, [items])

  return (
    <div class="stack">
      <ol
        class="episode-rows queue-rows"
        ref={list}
        onPointerMove={dragTo}
        onPointerUp={drop}
        onPointerCancel={() => {
          drag.value = undefined
        }}
      >
        {shown.map((item, index) => (
          <EpisodeRow
            key={keyOf(item)}
            item={item}
            deviceName={deviceName}
            isTile
            before={
              <button
                type="button"
                class="queue-handle"
                title={t('queue.moveHint')}
                aria-label={t('queue.move', { title: item.episode.title })}
                data-dragged={drag.value?.to === index}
                onKeyDown={(event) => press(event, item, index)}
                onPointerDown={(event) => grab(event, index)}
              >
                <Icon name="grip" />
              </button>
            }
            moreItems={
              <>
                {index > 0 && (
                  <MenuItem icon="up" onClick={() => move(item, index - 1)}>
                    {t('queue.moveUp')}
                  </MenuItem>
                )}
                {index < items.length - 1 && (
                  <MenuItem icon="down" onClick={() => move(item, index + 1)}>
                    {t('queue.moveDown')}
                  </MenuItem>
                )}
                <MenuItem icon="cross" onClick={() => remove(item)}>
                  {t('queue.remove')}
                </MenuItem>
              </>
            }
          />
        ))}
      </ol>
      {more && <p>{more}</p>}
      <p class="hidden-text" role="status">
        {announced.value}
      </p>
    </div>
  )
}

async function remove(item: ListedEpisode): Promise<void> {
  await dequeue(toPlayable(item))
  restoreFocus(document.querySelector<HTMLElement>('.queue-handle') ?? document.querySelector('h1'))
}

/** Returns the index that a key moves an item to; `undefined` for other keys. */
function placeByKey(key: string, index: number, count: number): number | undefined {
  if (key === 'ArrowUp') return index - 1
  if (key === 'ArrowDown') return index + 1
  if (key === 'Home') return 0
  return key === 'End' ? count - 1 : undefined
}

/** Switch that continues with the list that the user started from when the queue is empty. */
export function KeepPlaying() {
  const isBusy = useSignal(false)
  useEffect(() => {
    void attempt(ensureAccountSettings)
  }, [])

  async function change(isOn: boolean): Promise<void> {
    isBusy.value = true
    await attempt(() => setKeepPlaying(isOn))
    isBusy.value = false
  }

  return (
    <Switch
      label={t('queue.keepPlaying')}
      hint={t('queue.keepPlayingHint')}
      checked={keepsPlaying.value === true}
      isBusy={isBusy.value || keepsPlaying.value === undefined}
      onChange={change}
    />
  )
}

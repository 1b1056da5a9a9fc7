import { effect, type ReadonlySignal, signal, useComputed, useSignal, useSignalEffect } from '@preact/signals'
import { Component } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { attempt, EmptyState } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { restoreFocus } from '../../components/forms/focus.ts'
import { FolderDialog } from '../../components/podcast/folder-dialog.tsx'
import { markAllWithUndo } from '../../components/podcast/offer-undo.tsx'
import { toggleSelected } from '../../components/selection.tsx'
import { afterFrame, eachFrame } from '../../hooks/frames.ts'
import { setTo, setter } from '../../hooks/setters.ts'
import { t } from '../../locales/index.ts'
import { ownName } from '../../store/session.ts'
import {
  applyChanges,
  invert,
  type OwnPodcast,
  removeEverywhere,
  subscribedDevices,
} from '../../store/subscriptions.ts'
import { toast } from '../../store/toasts.ts'
import { type CardProps, PodcastCard } from './card.tsx'
import { PodcastSelection, Tools } from './tools.tsx'
import { found, isFiltered, podcasts, selected, showAll, shown, sorted, view } from './view.ts'

const SUBJECT = 'subscriptions'

/** The user's podcasts, with tools to filter, sort and select them. */
export function Library({ onChange }: { onChange: () => Promise<unknown> }) {
  const filing = useSignal<readonly string[] | undefined>(undefined)
  const isNoneShown = useComputed(() => shown.value.size === 0)

  async function unsubscribe(urls: readonly string[]): Promise<void> {
    const changes = removeEverywhere(urls, subscribedDevices.value ?? new Map())
    if (!(await attempt(() => applyChanges(changes), SUBJECT))) return
    endSelection()
    toast(t('home.unsubscribed', { n: urls.length }), {
      subject: SUBJECT,
      action: {
        label: t('common.undo'),
        run: () => void attempt(() => applyChanges(invert(changes)).then(onChange), SUBJECT),
      },
    })
  }

  async function mark(urls: readonly string[]): Promise<void> {
    endSelection()
    await markAllWithUndo({ podcasts: [...urls] }, 'played', onChange)
  }

  async function hide(urls: readonly string[]): Promise<void> {
    const isShown = new Set(podcasts.value?.filter((podcast) => !podcast.private).map(({ url }) => url))
    const changed = urls.filter((url) => isShown.has(url))
    if (!(await attempt(() => setPrivate(changed, true).then(onChange), SUBJECT))) return
    endSelection()
    toast(t('home.madePrivate', { n: urls.length }), {
      subject: SUBJECT,
      action: {
        label: t('common.undo'),
        run: () => void attempt(() => setPrivate(changed, false).then(onChange), SUBJECT),
      },
    })
  }

  return (
    <>
      <Tools />
      {selected.value && !isNoneShown.value && (
        <PodcastSelection
          selected={selected.value}
          urls={[...shown.value]}
          onSelect={setter(selected)}
          onEnd={endSelection}
          onFile={async (urls) => {
            filing.value = urls
          }}
          onMark={mark}
          onHide={hide}
          onUnsubscribe={unsubscribe}
        />
      )}
      {isNoneShown.value && (
        <EmptyState title={t('home.nothingFound')} text="">
          <Button onClick={showAll}>{t('home.showAll')}</Button>
        </EmptyState>
      )}
      <Lists />
      {filing.value && <FolderDialog urls={filing.value} onClose={setTo(filing, undefined)} onDone={endSelection} />}
    </>
  )
}

/** Concurrent requests to change settings. */
const REQUESTS_AT_ONCE = 4

/** Makes podcasts private, or removes the setting again. Rejects with `ApiError`. */
async function setPrivate(urls: readonly string[], isPrivate: boolean): Promise<void> {
  const path = { username: ownName(), scope: 'podcast' }
  const body = isPrivate ? { set: { public_subscription: false } } : { remove: ['public_subscription'] }
  for (let from = 0; from < urls.length; from += REQUESTS_AT_ONCE)
    await Promise.all(
      urls
        .slice(from, from + REQUESTS_AT_ONCE)
        .map((podcast) => call('changeSettings', { path, query: { podcast }, body })),
    )
}

function endSelection(): void {
  selected.value = undefined
  restoreFocus(document.querySelector('#podcasts'))
}

const toggle = (url: string) => toggleSelected(selected, url)

/**
 * The list of all cards and, while a filter is set, a separate list of the matches: drawing the visible matches is
 * faster than hiding hundreds of cards. The full list stays mounted but hidden until the filter is cleared.
 */
function Lists() {
  return (
    <div class="home-lists">
      <Cards list={sorted} isHidden={isFiltered} />
      {isFiltered.value && <Cards list={found} restart={found} first={SOME} />}
    </div>
  )
}

interface CardsProps {
  readonly list: ReadonlySignal<readonly OwnPodcast[]>
  readonly isHidden?: ReadonlySignal<boolean>
  /** A change of this value redraws the list from the start. */
  readonly restart?: ReadonlySignal<unknown>
  /** Number of cards in the first render. */
  readonly first?: number
}

/** Whether all cards are drawn, so that they no longer shift the content below them. */
export const isDrawn = signal(false)

/** Draws cards in batches, so that the page stays responsive. */
function Cards({ list, isHidden, restart, first }: CardsProps) {
  const isSelecting = useIsSelecting()
  const drawn = useProgress(() => list.value.length, restart, first)
  // Number of cards that already show the new value of `isSelecting`; the rest still show the old one.
  const changed = useProgress(() => list.value.length, isSelecting, SOME, Number.POSITIVE_INFINITY)
  useSignalEffect(() => {
    if (drawn.value >= list.value.length) isDrawn.value = true
  })
  return (
    <ul class={`home-${view.value}`} aria-hidden={isHidden}>
      {list.value.slice(0, drawn.value).map((podcast, index) => (
        <SteadyCard
          key={podcast.url}
          podcast={podcast}
          isSelecting={index < changed.value === isSelecting.value}
          onToggle={toggle}
        />
      ))}
    </ul>
  )
}

/**
 * Whether podcasts are being selected. It becomes true one frame after the selection bar appears, because updating a
 * thousand cards takes as long as everything else *Select* changes. It becomes false immediately, so that focus
 * restoration notices if a focused checkbox has disappeared.
 */
function useIsSelecting(): ReadonlySignal<boolean> {
  const isSelecting = useSignal(selected.peek() !== undefined)
  useEffect(() => {
    let stop = () => {}
    const end = effect(() => {
      const isWanted = selected.value !== undefined
      stop()
      if (!isWanted) isSelecting.value = false
      else if (!isSelecting.peek()) stop = afterFrame(setTo(isSelecting, true))
    })
    return () => {
      end()
      stop()
    }
  }, [])
  return isSelecting
}

/** Rerenders only if its podcast or mode has changed; otherwise each new batch would redraw all cards. */
class SteadyCard extends Component<CardProps> {
  override shouldComponentUpdate({ podcast, isSelecting }: CardProps): boolean {
    return podcast !== this.props.podcast || isSelecting !== this.props.isSelecting
  }

  override render(props: CardProps) {
    return <PodcastCard {...props} />
  }
}

/** Cards drawn in the same frame as the other effects of a keystroke in the filter or of *Select*. */
const SOME = 8
/** Smallest batch of cards, small enough to go unnoticed on a slow phone. */
const STEP = 3
/** Milliseconds between two steps below which the batch grows. */
const SHORT_MS = 24
/** Milliseconds between two steps above which the batch shrinks, because users may notice the delay. */
const LONG_MS = 50

/**
 * Counts from `start` up to `goal`, one step per frame, to leave time for other work. Faster machines take larger
 * steps. A change of `restart` starts again at `first`. With `restart`, the final value is `Infinity`.
 */
function useProgress(
  goal: () => number,
  restart?: ReadonlySignal<unknown>,
  first = 0,
  start = first,
): ReadonlySignal<number> {
  const done = useSignal(start)
  const end = useComputed(goal)
  const before = useRef(restart?.peek())
  // Not `useSignalEffect`, which waits for a frame: the restart must happen before the change is drawn.
  useEffect(
    () =>
      effect(() => {
        if (restart && restart.value !== before.current) {
          before.current = restart.value
          done.value = first
        }
        if (done.peek() >= end.value) return undefined
        return steps((size) => {
          const next = Math.min(end.peek(), done.peek() + size)
          const isDone = next >= end.peek()
          done.value = isDone && restart ? Number.POSITIVE_INFINITY : next
          return !isDone
        })
      }),
    [],
  )
  return done
}

/** Calls `work` after each frame until it returns false or is stopped. `size` grows while the machine keeps up. */
function steps(work: (size: number) => boolean): () => void {
  let size = STEP
  let drawnAt = 0
  return eachFrame(() => {
    const now = performance.now()
    const elapsed = now - drawnAt
    if (drawnAt > 0)
      size = Math.max(STEP, Math.floor(elapsed < SHORT_MS ? size * 2 : elapsed > LONG_MS ? size / 2 : size))
    drawnAt = now
    return work(size)
  })
}

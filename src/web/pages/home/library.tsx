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
import { applyChanges, holders, invert, type OwnPodcast, removeEverywhere } from '../../store/subscriptions.ts'
import { toast } from '../../store/toasts.ts'
import { type CardProps, PodcastCard } from './card.tsx'
import { PodcastSelection, Tools } from './tools.tsx'
import { found, isFiltered, podcasts, selected, showAll, shown, sorted, view } from './view.ts'

const SUBJECT = 'subscriptions'

/** The user's podcasts, with what finds, orders and selects them. */
export function Library({ onChange }: { onChange: () => Promise<unknown> }) {
  const filing = useSignal<readonly string[] | undefined>(undefined)
  const isNoneShown = useComputed(() => shown.value.size === 0)

  async function unsubscribe(urls: readonly string[]): Promise<void> {
    const changes = removeEverywhere(urls, holders.value ?? new Map())
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

/** Podcasts whose settings are sent at once. */
const AT_ONCE = 4

/** Makes podcasts private, or what they were before that. Rejects with `ApiError`. */
async function setPrivate(urls: readonly string[], isPrivate: boolean): Promise<void> {
  const path = { username: ownName(), scope: 'podcast' }
  const body = isPrivate ? { set: { public_subscription: false } } : { remove: ['public_subscription'] }
  for (let from = 0; from < urls.length; from += AT_ONCE)
    await Promise.all(
      urls.slice(from, from + AT_ONCE).map((podcast) => call('changeSettings', { path, query: { podcast }, body })),
    )
}

function endSelection(): void {
  selected.value = undefined
  restoreFocus(document.querySelector('#podcasts'))
}

const toggle = (url: string) => toggleSelected(selected, url)

/**
 * All cards, and those that the filter leaves as a list of their own: to hide hundreds of cards takes longer than to draw
 * those that can be seen. All others stay where they are meanwhile, out of sight, for when the filter is empty again.
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
  /** When this changes, the list is drawn from its beginning. */
  readonly restart?: ReadonlySignal<unknown>
  /** How many are drawn at once. */
  readonly first?: number
}

/** Whether all cards are there, so that they do not move any more what stands below them. */
export const isDrawn = signal(false)

/** Cards that are drawn piece by piece, so that the page stays usable. */
function Cards({ list, isHidden, restart, first }: CardsProps) {
  const isSelecting = useIsSelecting()
  const drawn = useProgress(() => list.value.length, restart, first)
  // How many are as `isSelecting` says; the others are as it said before.
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
 * Whether podcasts are being selected, a frame after the bar above the list has come: to go through a thousand cards takes as long as
 * all else that *Select* changes. It ends at once, so that a focus on a checkbox is missed when it is looked for.
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

/** Drawn again only when something in it has changed: otherwise each piece that is added would draw all of them. */
class SteadyCard extends Component<CardProps> {
  override shouldComponentUpdate({ podcast, isSelecting }: CardProps): boolean {
    return podcast !== this.props.podcast || isSelecting !== this.props.isSelecting
  }

  override render(props: CardProps) {
    return <PodcastCard {...props} />
  }
}

/** Cards of a list that are drawn with all else that a key of the filter or *Select* changes. */
const SOME = 8
/** Cards that are drawn in one go: few enough not to be noticed on a slow phone. */
const STEP = 3
/** Milliseconds from one step to the next in which more could have been drawn. */
const SHORT = 24
/** Milliseconds after which somebody may notice that the page does not answer. */
const LONG = 50

/**
 * Counts from `start` up to `goal`, a step for each frame, so that there is room for other work in between. The faster the
 * machine, the longer the steps. Whenever `restart` changes it begins again with `first`, and then ends with infinity.
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
  // Not `useSignalEffect`, which waits for a frame: it has to begin again before what has changed is drawn.
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

/** Does `work` after each frame until it returns false or is stopped. `size` grows as long as the machine keeps up. */
function steps(work: (size: number) => boolean): () => void {
  let size = STEP
  let drawnAt = 0
  return eachFrame(() => {
    const now = performance.now()
    const took = now - drawnAt
    if (drawnAt > 0) size = Math.max(STEP, Math.floor(took < SHORT ? size * 2 : took > LONG ? size / 2 : size))
    drawnAt = now
    return work(size)
  })
}

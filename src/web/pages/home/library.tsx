import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals'
import { Component } from 'preact'
import { useEffect } from 'preact/hooks'
import { attempt, EmptyState } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { restoreFocus } from '../../components/forms/focus.ts'
import { toggleSelected } from '../../components/selection.tsx'
import { setter } from '../../hooks/setters.ts'
import { t } from '../../locales/index.ts'
import { applyChanges, holders, invert, type OwnPodcast, removeEverywhere } from '../../store/subscriptions.ts'
import { toast } from '../../store/toasts.ts'
import { PodcastCard } from './card.tsx'
import { PodcastSelection, Tools } from './tools.tsx'
import { chunks, selected, showAll, shown, view } from './view.ts'

const SUBJECT = 'subscriptions'

/** The user's podcasts, with what finds, orders and selects them. */
export function Library({ onChange }: { onChange: () => Promise<unknown> }) {
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

  return (
    <>
      <Tools />
      {selected.value && !isNoneShown.value && (
        <PodcastSelection
          selected={selected.value}
          urls={[...shown.value]}
          onSelect={setter(selected)}
          onEnd={endSelection}
          onUnsubscribe={unsubscribe}
        />
      )}
      {isNoneShown.value && (
        <EmptyState title={t('home.nothingFound')} text="">
          <Button onClick={showAll}>{t('home.showAll')}</Button>
        </EmptyState>
      )}
      <Cards />
    </>
  )
}

function endSelection(): void {
  selected.value = undefined
  restoreFocus(document.querySelector('#podcasts'))
}

const toggle = (url: string) => toggleSelected(selected, url)

/** All cards, also those that are hidden by the filter. They are drawn piece by piece, so that the page stays usable. */
function Cards() {
  const count = useComputed(() => chunks.value.length)
  const isSelecting = useComputed(() => selected.value !== undefined)
  const drawn = useProgress(count, true)
  const selectable = useProgress(count, isSelecting.value)
  return (
    <ul class={`home-${view.value}`} data-selecting={isSelecting}>
      {chunks.value.slice(0, drawn.value).map((podcasts, index) => (
        <Chunk
          key={index}
          podcasts={podcasts}
          isSelecting={isSelecting.value && index < selectable.value}
          onToggle={toggle}
        />
      ))}
    </ul>
  )
}

interface ChunkProps {
  readonly podcasts: readonly OwnPodcast[]
  readonly isSelecting: boolean
  readonly onToggle: (url: string) => void
}

/** Drawn again only when something in it has changed: otherwise each piece that is added would draw all of them. */
class Chunk extends Component<ChunkProps> {
  override shouldComponentUpdate({ podcasts, isSelecting }: ChunkProps): boolean {
    return podcasts !== this.props.podcasts || isSelecting !== this.props.isSelecting
  }

  override render({ podcasts, ...rest }: ChunkProps) {
    return podcasts.map((podcast) => <PodcastCard key={podcast.url} podcast={podcast} {...rest} />)
  }
}

/** Milliseconds from one step to the next in which more could have been drawn. */
const SHORT = 24
/** Milliseconds after which somebody may notice that the page does not answer. */
const LONG = 50

/**
 * Counts from 0 up to `count`, a step for each frame, so that there is room for other work in between, and from the
 * beginning whenever `isOn` changes. The faster the machine, the longer the steps.
 */
function useProgress(count: ReadonlySignal<number>, isOn: boolean): { readonly value: number } {
  const done = useSignal(0)
  useEffect(() => {
    if (!isOn) {
      done.value = 0
      return undefined
    }
    let step = 1
    let drawnAt = 0
    return eachFrame(() => {
      const now = performance.now()
      if (drawnAt > 0)
        step = Math.max(1, Math.floor(now - drawnAt < SHORT ? step * 2 : now - drawnAt > LONG ? step / 2 : step))
      drawnAt = now
      done.value = Math.min(count.value, done.value + step)
      return done.value < count.value
    })
  }, [isOn, count.value])
  return done
}

/** Does `work` after each frame until it returns false or is stopped. Pages that nobody sees have no frames, only turns. */
function eachFrame(work: () => boolean): () => void {
  let frame = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  function wait(): void {
    const later = () => {
      timer = setTimeout(() => work() && wait())
    }
    if (document.hidden) later()
    else frame = requestAnimationFrame(later)
  }
  wait()
  return () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
  }
}

import { type ReadonlySignal, useComputed, useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { afterFrame, eachFrame } from '../../hooks/frames.ts'
import { t } from '../../locales/index.ts'
import { clock } from '../../store/playback/progress.ts'
import { type Cue, cueAt, findCues, foldInPlace, splitAt } from '../../store/playback/transcript.ts'
import { Button } from '../forms/button.tsx'
import { SearchBox } from '../forms/field.tsx'

/** Cues per part of the transcript. Browsers skip the layout of parts out of sight. */
const PER_PART = 50
/** Parts rendered at first. The others follow, one per frame, so that the page stays responsive. */
const FIRST_PARTS = 6

interface CuesProps {
  readonly cues: readonly Cue[]
  /** Playback position in seconds; `undefined` unless the episode is in the player. */
  readonly position: ReadonlySignal<number | undefined>
  readonly onPlay: (seconds: number) => void
}

/**
 * Transcript with a search box. It follows playback until the user scrolls away; clicking a cue plays from there. Only
 * parts that change are rendered again because there may be thousands of cues.
 */
export function Cues({ cues, position, onPlay }: CuesProps) {
  const box = useRef<HTMLDivElement>(null)
  const isFollowing = useSignal(true)
  const text = useSignal('')
  const hit = useSignal(0)
  const firstTimed = useMemo(() => cues.findIndex(({ start }) => start !== null), [cues])
  const folded = useMemo(() => cues.map((cue) => foldInPlace(`${cue.speaker} ${cue.text}`)), [cues])
  const parts = useMemo(() => Array.from({ length: Math.ceil(cues.length / PER_PART) }, (_, n) => n * PER_PART), [cues])
  const current = useComputed(() => (position.value === undefined ? -1 : cueAt(cues, position.value)))
  const words = useComputed(() => foldInPlace(text.value.trim()))
  const matches = useComputed(() => findCues(folded, words.value))
  const match = useComputed(() => matches.value[hit.value] ?? -1)
  const stop = useComputed(() => Math.max(current.value, firstTimed))
  const drawn = useSignal(FIRST_PARTS * PER_PART)

  useEffect(
    () =>
      eachFrame(() => {
        drawn.value += PER_PART
        return drawn.value < cues.length
      }),
    [cues],
  )

  useSignalEffect(() => {
    const shown = isFollowing.value ? current.value : -1
    if (shown >= 0) scrollIntoView(box.current, shown)
  })
  useSignalEffect(() => {
    if (match.value >= 0) scrollIntoView(box.current, match.value)
  })

  const leave = () => {
    isFollowing.value = false
  }

  function go(step: number): void {
    const { length } = matches.value
    if (length === 0) return
    leave()
    hit.value = (hit.value + step + length) % length
  }

  function press(event: KeyboardEvent): void {
    const from = event.target instanceof HTMLElement ? Number(event.target.dataset['cue'] ?? -1) : -1
    if (from < 0) {
      if (/^(?:Arrow|Page|Home|End)/.test(event.key)) leave()
      return
    }
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    leave()
    for (let at = from + step; at >= 0 && at < cues.length; at += step)
      if (cues[at]?.start !== null) {
        rowOf(box.current, at)?.focus({ preventScroll: true })
        scrollIntoView(box.current, at)
        return
      }
  }

  function jump({ target }: Event): void {
    const row = target instanceof Element ? target.closest<HTMLElement>('button[data-cue]') : null
    const start = cues[Number(row?.dataset['cue'] ?? -1)]?.start
    if (typeof start !== 'number') return
    isFollowing.value = true
    onPlay(start)
  }

  return (
    <>
      <div class="row transcript-tools">
        <form
          onSubmit={(event) => {
            event.preventDefault()
            go(1)
          }}
        >
          <SearchBox
            label={t('podcast.transcripts.find')}
            value={text}
            onInput={() => {
              hit.value = 0
              if (words.value !== '') leave()
            }}
          />
        </form>
        <Found words={words} matches={matches} hit={hit} onStep={go} />
        <Follow isFollowing={isFollowing} current={current} />
      </div>
      <section
        class="transcript-cues"
        ref={box}
        aria-label={t('podcast.transcript')}
        tabIndex={firstTimed < 0 ? 0 : undefined}
        onClick={jump}
        onKeyDown={press}
        onWheel={leave}
        onTouchMove={leave}
        onPointerDown={({ target, currentTarget }) => target === currentTarget && leave()}
      >
        {parts.map((from) => (
          <Part key={from} {...{ cues, from, drawn, current, match, stop, words }} />
        ))}
      </section>
    </>
  )
}

interface PartProps extends Pick<CuesProps, 'cues'> {
  readonly from: number
  /** Number of cues to render. Later parts are rendered if they contain `current`, `match` or `stop`. */
  readonly drawn: ReadonlySignal<number>
  readonly current: ReadonlySignal<number>
  readonly match: ReadonlySignal<number>
  /** The only cue in the tab order. */
  readonly stop: ReadonlySignal<number>
  readonly words: ReadonlySignal<string>
}

function Part({ cues, from, drawn, current, match, stop, words }: PartProps) {
  const within = (index: number) => (index >= from && index < from + PER_PART ? index : -1)
  const spoken = useComputed(() => within(current.value))
  const found = useComputed(() => within(match.value))
  const tabbed = useComputed(() => within(stop.value))
  const isDrawn = useComputed(() => from < drawn.value || Math.max(spoken.value, found.value, tabbed.value) >= 0)
  if (!isDrawn.value) return <div class="transcript-part" data-part={from} />
  return (
    <div class="transcript-part" data-part={from}>
      {cues.slice(from, from + PER_PART).map((cue, offset) => {
        const index = from + offset
        const sought = index === found.value ? words.value : ''
        const isNewSpeaker = cue.speaker !== '' && cue.speaker !== cues[index - 1]?.speaker
        const [speaker, inSpeaker, restOfSpeaker] = splitAt(cue.speaker, sought)
        const [before, inText, after] = splitAt(cue.text, sought)
        const said = (
          <span dir="auto">
            {isNewSpeaker && (
              <strong>
                {speaker}
                {inSpeaker && <mark>{inSpeaker}</mark>}
                {restOfSpeaker}{' '}
              </strong>
            )}
            {before}
            {inText && <mark>{inText}</mark>}
            {after}
          </span>
        )
        if (cue.start === null)
          return (
            <p key={index} data-cue={index} data-found={index === found.value}>
              {said}
            </p>
          )
        return (
          <button
            key={index}
            type="button"
            data-cue={index}
            data-found={index === found.value}
            tabIndex={index === tabbed.value ? 0 : -1}
            aria-current={index === spoken.value}
          >
            <span class="player-time small">{clock(cue.start)}</span>
            {said}
          </button>
        )
      })}
    </div>
  )
}

interface FoundProps {
  readonly words: ReadonlySignal<string>
  readonly matches: ReadonlySignal<readonly number[]>
  readonly hit: ReadonlySignal<number>
  readonly onStep: (step: number) => void
}

function Found({ words, matches, hit, onStep }: FoundProps) {
  const { length } = matches.value
  return (
    <>
      <span class="muted small" role="status">
        {words.value !== '' &&
          (length === 0
            ? t('podcast.transcripts.noMatch')
            : t('podcast.transcripts.matches', { at: hit.value + 1, n: length }))}
      </span>
      {length > 0 && (
        <span class="row">
          <Button kind="quiet" icon="up" label={t('podcast.transcripts.previous')} onClick={() => onStep(-1)} />
          <Button kind="quiet" icon="down" label={t('podcast.transcripts.next')} onClick={() => onStep(1)} />
        </span>
      )}
    </>
  )
}

interface FollowProps {
  readonly isFollowing: { value: boolean }
  readonly current: ReadonlySignal<number>
}

function Follow({ isFollowing, current }: FollowProps) {
  if (isFollowing.value || current.value < 0) return null
  return (
    <Button kind="quiet" icon="play" onClick={() => (isFollowing.value = true)}>
      {t('podcast.transcripts.follow')}
    </Button>
  )
}

function rowOf(box: HTMLElement | null, index: number): HTMLElement | null {
  return box?.querySelector<HTMLElement>(`[data-cue="${index}"]`) ?? null
}

/** Scrolls a cue into the upper half of the box, without scrolling the page. */
function scrollIntoView(box: HTMLElement | null, index: number): void {
  const distance = distanceTo(box, index)
  if (box === null || distance === undefined) return
  const isNear = rowOf(box, index) !== null && Math.abs(distance) < box.clientHeight
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches
  box.scrollBy({ top: distance, behavior: isNear && !isCalm ? 'smooth' : 'instant' })
  // The browser only estimates the height of parts out of sight, and the part may not be rendered yet.
  if (!isNear) afterFrame(() => box.scrollBy({ top: distanceTo(box, index) ?? 0, behavior: 'instant' }))
}

/** Returns the pixels to scroll to a cue, or to its part of the transcript if that is not rendered yet. */
function distanceTo(box: HTMLElement | null, index: number): number | undefined {
  const row = rowOf(box, index) ?? box?.querySelector(`[data-part="${index - (index % PER_PART)}"]`)
  if (!box || !row) return undefined
  return row.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 4
}

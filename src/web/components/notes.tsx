import { useSignal } from '@preact/signals'
import { type ComponentChildren, createElement } from 'preact'
import { useEffect, useId, useMemo, useRef } from 'preact/hooks'
import { isElement, type NoteElement, type NoteNode, textOf } from '../../formats/notes.ts'
import { t } from '../locales/index.ts'
import { Button } from './forms/button.tsx'
import { isWebUrl, SafeLink } from './safe-link.tsx'

interface NotesProps {
  /** Blocks that the server built from the feed's HTML. */
  readonly blocks: readonly Readonly<Record<string, unknown>>[]
  /** Approximate number of characters to show before the rest is folded. */
  readonly limit: number
  /** Makes times in the notes play the episode from there. `length` is in seconds. */
  readonly times?: { readonly length: number; readonly onPlay: (seconds: number) => void }
}

/** Show notes. The OpenAPI document has no type for blocks because they are recursive. */
export function Notes({ blocks: rawBlocks, limit, times }: NotesProps) {
  const blocks = rawBlocks as unknown as readonly NoteElement[]
  const id = useId()
  const isOpen = useSignal(false)
  const rest = useRef<HTMLDivElement>(null)
  const shownCount = useMemo(
    () =>
      foldIndex(
        blocks.map((block) => textOf(block).length),
        limit,
      ),
    [blocks, limit],
  )
  useEffect(() => {
    if (isOpen.value) rest.current?.focus({ preventScroll: true })
  }, [isOpen.value])
  if (blocks.length === 0) return null
  return (
    <div class="notes" dir="auto">
      {blocks.slice(0, shownCount).map((block, key) => render(block, key, times))}
      {shownCount < blocks.length &&
        (isOpen.value ? (
          <div id={id} class="notes-rest" ref={rest} tabIndex={-1}>
            {blocks.slice(shownCount).map((block, key) => render(block, key, times))}
          </div>
        ) : (
          <p class="notes-more">
            <Button kind="quiet" onClick={() => (isOpen.value = true)}>
              {t('podcast.restOfNotes')}
            </Button>
          </p>
        ))}
    </div>
  )
}

function render(node: NoteNode, key: number, times: NotesProps['times']): ComponentChildren {
  if (!isElement(node)) return node
  const { name, href = '', level = 6, seconds = 0 } = node
  const text = textOf(node)
  if (name === 'time')
    // A time beyond the end does not refer to this episode.
    return times && seconds < times.length ? (
      <button
        key={key}
        type="button"
        class="time-button"
        title={t('podcast.playFrom', { time: text })}
        onClick={() => times.onPlay(seconds)}
      >
        {text}
      </button>
    ) : (
      text
    )
  const children =
    name === 'picture'
      ? t('podcast.picture', { name: text })
      : node.children.map((child, index) => render(child, index, times))
  if (name === 'a' || name === 'picture')
    return isWebUrl(href) ? (
      <SafeLink key={key} url={href}>
        {children}
      </SafeLink>
    ) : (
      <a key={key} href={href}>
        {children}
      </a>
    )
  return createElement(name === 'h' ? `h${level}` : name, { key }, children)
}

/**
 * Returns the number of blocks of these lengths to show before the rest is folded: about `limit` characters, at least
 * one block, and all of them if the rest would be short.
 */
export function foldIndex(lengths: readonly number[], limit: number): number {
  const total = lengths.reduce((sum, length) => sum + length, 0)
  let shownLength = 0
  for (const [index, length] of lengths.entries()) {
    if (index > 0 && shownLength + length > limit && total - shownLength > limit / 3) return index
    shownLength += length
  }
  return lengths.length
}

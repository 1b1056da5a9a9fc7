import { useSignal } from '@preact/signals'
import { type ComponentChildren, createElement } from 'preact'
import { useEffect, useId, useMemo, useRef } from 'preact/hooks'
import { t } from '../../locales/index.ts'
import { Button } from '../forms/button.tsx'
import { isWebUrl, SafeLink } from '../safe-link.tsx'
import { foldIndex, isElement, type NoteNode, pictureName, readNotes, textOf, toBlocks } from './blocks.ts'

interface NotesProps {
  readonly html: string
  /** The level of the heading above the notes. */
  readonly above: number
  /** About how many characters are shown before the user asks for the rest. */
  readonly limit: number
  /** The episode that the notes are about: times in them play from there. */
  readonly times?: { readonly length: number; readonly onPlay: (seconds: number) => void }
}

/** Show notes. Their HTML is untrusted: it is parsed, and only allowed elements are built again. */
export function Notes({ html, above, limit, times }: NotesProps) {
  const id = useId()
  const isOpen = useSignal(false)
  const rest = useRef<HTMLDivElement>(null)
  const blocks = useMemo(() => toBlocks(readNotes(html), above, times?.length), [html, above, times?.length])
  const shown = useMemo(
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
      {blocks.slice(0, shown).map((block, key) => render(block, key, times?.onPlay))}
      {shown < blocks.length &&
        (isOpen.value ? (
          <div id={id} class="notes-rest" ref={rest} tabIndex={-1}>
            {blocks.slice(shown).map((block, key) => render(block, key, times?.onPlay))}
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

function render(node: NoteNode, key: number, onPlay: ((seconds: number) => void) | undefined): ComponentChildren {
  if (!isElement(node)) return node
  if (node.name === 'time') {
    const { seconds = 0 } = node
    const time = textOf(node)
    return (
      <button
        key={key}
        type="button"
        class="time-button"
        title={t('podcast.playFrom', { time })}
        onClick={() => onPlay?.(seconds)}
      >
        {time}
      </button>
    )
  }
  const picture = node.name === 'a' ? pictureName(node) : undefined
  const children =
    picture === undefined
      ? node.children.map((child, index) => render(child, index, onPlay))
      : t('podcast.picture', { name: picture })
  if (node.name === 'a') {
    const { href = '' } = node
    return isWebUrl(href) ? (
      <SafeLink key={key} url={href}>
        {children}
      </SafeLink>
    ) : (
      <a key={key} href={href}>
        {children}
      </a>
    )
  }
  const name = node.name === 'h' ? `h${node.level ?? 6}` : node.name
  return createElement(name, { key }, children)
}

import { useSignal } from '@preact/signals'
import { type ComponentChildren, createElement } from 'preact'
import { useEffect, useId, useMemo, useRef } from 'preact/hooks'
import { t } from '../../locales/index.ts'
import { Button } from '../forms/button.tsx'
import { isWebUrl, SafeLink } from '../safe-link.tsx'
import { toBlocks } from './arrange.ts'
import { foldIndex, isElement, type NoteNode, readNotes, textOf } from './read.ts'

interface NotesProps {
  readonly html: string
  /** Level of the heading they are below. */
  readonly above: number
  /** Characters that are shown at once; the rest on demand. */
  readonly limit: number
}

/** HTML of somebody else as elements of ours: only what has been chosen for notes, and nothing of it is taken over as it is. */
export function Notes({ html, above, limit }: NotesProps) {
  const id = useId()
  const isOpen = useSignal(false)
  const rest = useRef<HTMLDivElement>(null)
  const blocks = useMemo(() => toBlocks(readNotes(html), above), [html, above])
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
      {blocks.slice(0, shown).map(rendered)}
      {shown < blocks.length &&
        (isOpen.value ? (
          <div id={id} class="notes-rest" ref={rest} tabIndex={-1}>
            {blocks.slice(shown).map(rendered)}
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

function rendered(piece: NoteNode, key: number): ComponentChildren {
  if (!isElement(piece)) return piece
  const children = piece.children.map(rendered)
  if (piece.name === 'a') {
    const { href = '' } = piece
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
  const name = piece.name === 'h' ? `h${piece.level ?? 6}` : piece.name
  return createElement(name, { key }, ...children)
}

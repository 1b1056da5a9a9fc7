import { useSignal } from '@preact/signals'
import { type ComponentChildren, createElement } from 'preact'
import { useEffect, useId, useMemo, useRef } from 'preact/hooks'
import { t } from '../../locales/index.ts'
import { Button } from '../forms/button.tsx'
import { isWebUrl, SafeLink } from '../safe-link.tsx'
import { foldIndex, isElement, type NoteNode, readNotes, textOf, toBlocks } from './blocks.ts'

interface NotesProps {
  readonly html: string
  /** The level of the heading above the notes. */
  readonly above: number
  /** About how many characters are shown before the user asks for the rest. */
  readonly limit: number
}

/** Show notes. Their HTML is untrusted: it is parsed, and only allowed elements are built again. */
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
      {blocks.slice(0, shown).map(render)}
      {shown < blocks.length &&
        (isOpen.value ? (
          <div id={id} class="notes-rest" ref={rest} tabIndex={-1}>
            {blocks.slice(shown).map(render)}
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

function render(node: NoteNode, key: number): ComponentChildren {
  if (!isElement(node)) return node
  const children = node.children.map(render)
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
  return createElement(name, { key }, ...children)
}

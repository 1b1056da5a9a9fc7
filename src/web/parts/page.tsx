import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface PageProps {
  readonly title: string
  readonly lead?: ComponentChildren
  /** Beside the title. */
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** One page: its title is the document's, and takes the focus when the page comes, so that screen readers tell where we are. */
export function Page({ title, lead, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · podstep`
  }, [title])
  useEffect(() => {
    if (document.body.dataset['visited'] === 'true') heading.current?.focus({ preventScroll: true })
    document.body.dataset['visited'] = 'true'
    window.scrollTo(0, 0)
  }, [])
  return (
    <>
      <header class="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead && <p>{lead}</p>}
        </div>
        {actions && <div class="row">{actions}</div>}
      </header>
      {children}
    </>
  )
}

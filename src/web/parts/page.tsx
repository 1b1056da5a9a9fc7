import type { ComponentChildren } from 'preact'
import { useHeading } from './heading.ts'

interface PageProps {
  readonly title: string
  readonly lead?: ComponentChildren
  /** Beside the title. */
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** Characters from which a title would fill a phone's screen. */
const LONG = 70

/** One page of those who are signed in. */
export function Page({ title, lead, actions, children }: PageProps) {
  const heading = useHeading(title)
  return (
    <>
      <header class="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1} dir="auto" data-long={title.length > LONG}>
            {title}
          </h1>
          {lead && <p dir="auto">{lead}</p>}
        </div>
        {actions && <div class="row">{actions}</div>}
      </header>
      {children}
    </>
  )
}

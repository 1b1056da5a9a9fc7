import type { ComponentChildren } from 'preact'
import { useHeading } from './heading.ts'

interface PageProps {
  readonly title: string
  readonly lead?: ComponentChildren
  /** Beside the title. */
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** One page of those who are signed in. */
export function Page({ title, lead, actions, children }: PageProps) {
  const heading = useHeading(title)
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

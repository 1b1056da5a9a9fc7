import type { ComponentChildren } from 'preact'

interface FoldProps {
  readonly title: string
  /** What is known of it, beside the title. */
  readonly state?: ComponentChildren
  /** Whether somebody should look at it. */
  readonly isOpen?: boolean
  readonly children: ComponentChildren
}

/** A part of a section that is folded while all is well. */
export function Fold({ title, state, isOpen = false, children }: FoldProps) {
  return (
    <details class="fold" open={isOpen}>
      <summary>
        <h3>{title}</h3>
        {state}
      </summary>
      <div class="stack">{children}</div>
    </details>
  )
}

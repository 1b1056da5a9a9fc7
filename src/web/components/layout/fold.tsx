import type { ComponentChildren } from 'preact'

interface FoldProps {
  readonly title: string
  /** Current state, next to the title. */
  readonly state?: ComponentChildren
  /** Whether the part needs attention. */
  readonly isOpen?: boolean
  readonly children: ComponentChildren
}

/** Part of a section that is collapsed unless it needs attention. */
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

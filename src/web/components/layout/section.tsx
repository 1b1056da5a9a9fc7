import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface SectionProps {
  readonly title: string
  readonly lead?: ComponentChildren
  readonly children: ComponentChildren
}

/** A part of a page of many things to set: what it is about, and beside it, where there is room, what there is to do. */
export function Section({ title, lead, children }: SectionProps) {
  const id = useId()
  return (
    <section class="section" aria-labelledby={id}>
      <div class="section-head">
        <h2 id={id}>{title}</h2>
        {lead && <p class="muted small">{lead}</p>}
      </div>
      <div class="card stack">{children}</div>
    </section>
  )
}

/** Short facts on a line or two, with a dot between those that stand side by side. What is false or empty is left out. */
export function MetaLine({ facts }: { readonly facts: readonly ComponentChildren[] }) {
  return (
    <p class="facts muted small">
      {facts.filter(Boolean).map((fact, index) => (
        <span key={index}>{fact} </span>
      ))}
    </p>
  )
}

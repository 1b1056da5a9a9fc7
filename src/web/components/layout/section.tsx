import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface SectionProps {
  readonly title: string
  readonly lead?: ComponentChildren
  readonly children: ComponentChildren
}

/** A section of a page of settings. On wide screens its heading stands beside its content. */
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

/** Short facts separated by dots. False and empty ones are left out. */
export function MetaLine({ items }: { readonly items: readonly ComponentChildren[] }) {
  return (
    <p class="meta-line muted small">
      {items.filter(Boolean).map((item, index) => (
        <span key={index}>{item} </span>
      ))}
    </p>
  )
}

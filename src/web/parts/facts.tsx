import type { ComponentChildren } from 'preact'

/** Short facts on a line or two, with a dot between those that stand side by side. What is false or empty is left out. */
export function Facts({ facts }: { readonly facts: readonly ComponentChildren[] }) {
  return (
    <p class="facts muted small">
      {facts.filter(Boolean).map((fact, index) => (
        <span key={index}>{fact} </span>
      ))}
    </p>
  )
}

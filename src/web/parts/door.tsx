import type { ComponentChildren } from 'preact'
import { LanguageChoice, ThemeChoice } from './choices.tsx'
import { useHeading } from './heading.ts'
import { Mark } from './icon.tsx'

/** A page outside, for those who are not signed in. */
export function Door({ title, lead, children }: { title: string; lead?: string; children: ComponentChildren }) {
  const heading = useHeading(title)
  return (
    <main class="door">
      <div class="door-card">
        <p class="brand brand-door">
          <Mark />
          <span>podstep</span>
        </p>
        <div class="stack-small">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead && <p class="muted">{lead}</p>}
        </div>
        {children}
        <div class="door-choices">
          <LanguageChoice />
          <ThemeChoice />
        </div>
      </div>
    </main>
  )
}

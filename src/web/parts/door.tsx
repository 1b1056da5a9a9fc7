import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { LanguageChoice, ThemeChoice } from './choices.tsx'
import { Mark } from './icon.tsx'

/** A page outside, for those who are not signed in. */
export function Door({ title, lead, children }: { title: string; lead?: string; children: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} · podstep`
  }, [title])
  return (
    <main class="door">
      <div class="door-card">
        <p class="brand brand-door">
          <Mark />
          <span>podstep</span>
        </p>
        <div class="stack-small">
          <h1>{title}</h1>
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

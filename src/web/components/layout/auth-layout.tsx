import type { ComponentChildren } from 'preact'
import { Select } from '../forms/choice.tsx'
import { languageChoice, themeChoice } from '../forms/preferences.tsx'
import { Mark } from '../icon.tsx'
import { useHeading } from './page.tsx'

/** The layout of pages for users who are not signed in. */
export function AuthLayout({ title, lead, children }: { title: string; lead?: string; children: ComponentChildren }) {
  const heading = useHeading(title)
  return (
    <div class="auth">
      <div class="auth-card">
        <header class="brand auth-brand">
          <Mark />
          <span>podstep</span>
        </header>
        <main class="auth-main">
          <div class="stack-small">
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            {lead && <p class="muted">{lead}</p>}
          </div>
          {children}
        </main>
        <footer class="auth-choices">
          <Select {...languageChoice()} />
          <Select {...themeChoice()} />
        </footer>
      </div>
    </div>
  )
}

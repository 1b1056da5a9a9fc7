import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Select } from '../forms/choice.tsx'
import { languageChoice, themeChoice } from '../forms/preferences.tsx'
import { Mark } from '../icon.tsx'
import { useHeading } from './page.tsx'

interface AuthLayoutProps {
  readonly title: string
  readonly lead?: string
  /** Whether its first field gets the focus. */
  readonly isForm?: boolean
  readonly children: ComponentChildren
}

/** The layout of pages for users who are not signed in. */
export function AuthLayout({ title, lead, isForm = false, children }: AuthLayoutProps) {
  const heading = useHeading(title)
  const main = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isForm) main.current?.querySelector<HTMLElement>('input:not([hidden])')?.focus({ preventScroll: true })
  }, [isForm])
  return (
    <div class="auth">
      <div class="auth-card">
        <header class="brand auth-brand">
          <Mark />
          <span>podstep</span>
        </header>
        <main class="auth-main" ref={main}>
          <div class="stack-small">
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            {lead && <p class="muted">{lead}</p>}
          </div>
          {children}
        </main>
      </div>
      <footer class="auth-choices">
        <Select {...languageChoice()} class="select-quiet" />
        <Select {...themeChoice()} class="select-quiet" />
      </footer>
    </div>
  )
}

import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { LANGUAGES, language, t } from '../../locales/index.ts'
import { Menu, MenuChoice } from '../forms/menu.tsx'
import { languageChoice, themeChoice } from '../forms/preferences.tsx'
import { Icon, Mark } from '../icon.tsx'
import { useHeading } from './page.tsx'

interface AuthLayoutProps {
  readonly title: string
  readonly lead?: string
  /** Focuses the first field. */
  readonly isForm?: boolean
  readonly children: ComponentChildren
}

/** Menu for language and theme. Signed-in users have both in the user menu. */
function LookMenu() {
  const name = LANGUAGES.find(({ code }) => code === language.value)?.name ?? ''
  return (
    <Menu
      class="look"
      name={t('common.pair', { what: t('common.look'), value: name })}
      content={
        <>
          {name}
          <Icon name="updown" />
        </>
      }
    >
      <MenuChoice {...languageChoice()} />
      <MenuChoice {...themeChoice()} />
    </Menu>
  )
}

/** Layout of pages for users who are not signed in. */
export function AuthLayout({ title, lead, isForm = false, children }: AuthLayoutProps) {
  const heading = useHeading(title)
  const main = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isForm) main.current?.querySelector<HTMLElement>('input:not([hidden])')?.focus({ preventScroll: true })
  }, [isForm])
  return (
    <div class="auth">
      <div class="auth-card stack-large">
        <header class="brand auth-brand">
          <Mark />
          <span>podstep</span>
        </header>
        <main class="stack-large" ref={main}>
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
        <LookMenu />
      </footer>
    </div>
  )
}

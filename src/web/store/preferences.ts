import { effect, type Signal, signal } from '@preact/signals'
import { type Language, setLanguage, t } from '../locales/index.ts'
import { paintTheme, storedTheme, THEME_KEY, type Theme } from './theme-paint.ts'
import { toast } from './toasts.ts'

export type { Theme }

/** What the person chose; `auto` follows the system. Read before the first paint by theme-start.ts too. */
export const theme = signal<Theme>(storedTheme())

effect(() => {
  paintTheme(theme.value)
  if (theme.value === 'auto') localStorage.removeItem(THEME_KEY)
  else localStorage.setItem(THEME_KEY, theme.value)
})

// Heard in the other tabs only.
addEventListener('storage', ({ key }) => {
  if (key === THEME_KEY || key === null) theme.value = storedTheme()
})

/** From now on, in this browser; says so if the texts cannot be fetched. */
export async function chooseLanguage(wanted: Language): Promise<void> {
  try {
    await setLanguage(wanted, true)
  } catch {
    toast(t('common.errors.unloadable'), { kind: 'error' })
  }
}

/** Whether single keys do something; people who speak to their computer may not want that (WCAG 2.1.4). */
export const shortcuts = persistedSignal('shortcuts', ['on', 'off'], 'on')

/** A choice that this browser keeps. What is kept and is none of the choices any more is forgotten. */
export function persistedSignal<T extends string>(name: string, choices: readonly T[], first: T): Signal<T> {
  const key = `podstep.${name}`
  const stored = localStorage.getItem(key)
  const value = signal<T>(choices.find((choice) => choice === stored) ?? first)
  effect(() => localStorage.setItem(key, value.value))
  return value
}

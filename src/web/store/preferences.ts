import { effect, type Signal, signal } from '@preact/signals'
import { type Language, setLanguage, t } from '../locales/index.ts'
import { paintTheme, storedTheme, THEME_KEY, type Theme } from './theme-paint.ts'
import { toast } from './toasts.ts'

export type { Theme }

/** The chosen theme; `auto` follows the system. theme-start.ts applies it before the first paint. */
export const theme = signal<Theme>(storedTheme())

effect(() => {
  paintTheme(theme.value)
  if (theme.value === 'auto') localStorage.removeItem(THEME_KEY)
  else localStorage.setItem(THEME_KEY, theme.value)
})

// Browsers send `storage` events to other tabs only.
addEventListener('storage', ({ key }) => {
  if (key === THEME_KEY || key === null) theme.value = storedTheme()
})

/** Changes the language in this browser. Shows an error if the texts cannot be loaded. */
export async function chooseLanguage(code: Language): Promise<void> {
  try {
    await setLanguage(code, true)
  } catch {
    toast(t('common.errors.unloadable'), { kind: 'error' })
  }
}

/** Whether single-key shortcuts are enabled. They interfere with speech input (WCAG 2.1.4). */
export const shortcuts = persistedSignal('shortcuts', ['on', 'off'], 'on')

/** Returns a signal stored in this browser. Falls back to `first` if the stored value is not among `choices`. */
export function persistedSignal<T extends string>(name: string, choices: readonly T[], first: T): Signal<T> {
  const key = `podstep.${name}`
  const stored = localStorage.getItem(key)
  const value = signal<T>(choices.find((choice) => choice === stored) ?? first)
  effect(() => localStorage.setItem(key, value.value))
  return value
}

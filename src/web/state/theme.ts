import { effect, signal } from '@preact/signals'
import { paintTheme, storedTheme, THEME_KEY, type Theme } from './theme-paint.ts'

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

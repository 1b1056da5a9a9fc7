import { effect, signal } from '@preact/signals'

export type Theme = 'auto' | 'light' | 'dark'

const KEY = 'podstep.theme'

/** What the person chose; `auto` follows the system. Read before the first paint by theme-start.ts too. */
export const theme = signal<Theme>(read())

function read(): Theme {
  const stored = localStorage.getItem(KEY)
  return stored === 'light' || stored === 'dark' ? stored : 'auto'
}

effect(() => {
  const { dataset } = document.documentElement
  if (theme.value === 'auto') {
    delete dataset['theme']
    localStorage.removeItem(KEY)
  } else {
    dataset['theme'] = theme.value
    localStorage.setItem(KEY, theme.value)
  }
})

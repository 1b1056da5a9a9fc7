import { signal } from '@preact/signals'

/** Must match styles/layout.css. */
const query = matchMedia('(max-width: 64rem)')

/** Whether the window is narrow, so that navigation is in a tab bar at the bottom. */
export const isNarrow = signal(query.matches)

query.addEventListener('change', ({ matches }) => {
  isNarrow.value = matches
})

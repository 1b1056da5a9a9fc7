import { signal } from '@preact/signals'

/** The same as in styles/layout.css. */
const query = matchMedia('(max-width: 64rem)')

/** Whether the screen is as narrow as that of a phone, where the navigation is at the foot. */
export const isNarrow = signal(query.matches)

query.addEventListener('change', ({ matches }) => {
  isNarrow.value = matches
})

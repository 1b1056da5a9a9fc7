import { effect, signal } from '@preact/signals'
import { player } from '../store/player.ts'

/** Heading of the page; '' while it loads. */
export const pageTitle = signal('')

// Browsers truncate tab titles, so the playing episode comes first.
effect(() => {
  const page = pageTitle.value === '' ? 'podstep' : `${pageTitle.value} · podstep`
  const playing = player.playing.value
  document.title = playing?.status === 'playing' ? `▶ ${playing.episode.title} · ${page}` : page
})

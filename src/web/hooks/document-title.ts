import { effect, signal } from '@preact/signals'
import { player } from '../store/player.ts'

/** The heading of the page; '' while it loads. */
export const pageTitle = signal('')

// Browsers cut the titles of tabs, so what plays comes first.
effect(() => {
  const page = pageTitle.value === '' ? 'podstep' : `${pageTitle.value} · podstep`
  const playing = player.playing.value
  document.title = playing?.status === 'playing' ? `▶ ${playing.episode.title} · ${page}` : page
})

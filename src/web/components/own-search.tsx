import { signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { useDebounce } from '../hooks/use-debounce.ts'
import { t } from '../locales/index.ts'
import { href } from '../store/paths.ts'
import { SearchBox } from './forms/field.tsx'

/** Text typed into the search box of Home. Discover shows the results and continues from it. */
export const typed = signal('')
/** Whether Discover was opened from that box, so that its own search box takes the focus. */
export const isTyping = signal(false)

/** Milliseconds to wait after the last key before searching. */
export const SEARCH_PAUSE = 300

/** Search box of Home for the user's podcasts and episodes. Opens the results on Discover. */
export function HomeSearch() {
  const { route } = useLocation()
  // Before the first paint, so that it does not clear text that the user has already typed.
  useLayoutEffect(() => {
    typed.value = ''
  }, [])
  const search = useDebounce(SEARCH_PAUSE, () => {
    // The user may have left the search box during the pause.
    if (typed.value.trim() === '' || document.activeElement?.closest('.home-search') == null) return
    isTyping.value = true
    route(href('/discover', { q: typed.value.trim() }))
  })
  return (
    <search class="home-search discover-search">
      <SearchBox label={t('home.search')} value={typed} onInput={search} />
    </search>
  )
}

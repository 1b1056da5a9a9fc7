import { signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { useDebounce } from '../hooks/use-debounce.ts'
import { t } from '../locales/index.ts'
import { href } from '../store/paths.ts'
import { SearchBox } from './forms/field.tsx'

/** Text typed into Home's search box; Discover shows the results and continues from it. */
export const typed = signal('')
/** Whether Discover is opened from that box, so that its own takes the focus. */
export const isTyping = signal(false)

/** Milliseconds to wait after the last key before searching. */
export const SEARCH_PAUSE = 300

/** A box for all that is the user's own. The results are on Discover, which goes on with what is typed. */
export function HomeSearch() {
  const { route } = useLocation()
  // Before the first paint, so that nothing is removed that the user has typed.
  useLayoutEffect(() => {
    typed.value = ''
  }, [])
  const search = useDebounce(SEARCH_PAUSE, () => {
    // The user may have gone to another page since.
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

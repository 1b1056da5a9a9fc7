import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { SearchBox } from '../../components/forms/field.tsx'
import { Page } from '../../components/layout/page.tsx'
import { useDebounce } from '../../hooks/use-debounce.ts'
import { useSearchParam } from '../../hooks/use-search-param.ts'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { Browse } from './browse.tsx'
import { isSearchable } from './search.ts'
import { SearchResults, TopicPodcasts } from './search-results.tsx'

/** Milliseconds to wait after the last key before searching. */
const PAUSE = 300

/** Finds podcasts: by search (`?q=`), by topic (`?tag=`), or by browsing. */
export default function Discover() {
  const { route } = useLocation()
  const q = useSearchParam('q')
  const tag = useSearchParam('tag')
  const typed = useSignal(q)
  const searched = useRef(q)
  useEffect(() => {
    // After going back or forward the box shows the query of that address.
    if (q !== searched.current) typed.value = q
    searched.current = q
  }, [q])
  const search = useDebounce(PAUSE, (text: string) => {
    searched.current = text
    route(href('/discover', text === '' ? {} : { q: text }), true)
  })

  return (
    <Page title={t('discover.title')} lead={t('discover.lead')}>
      <div class="stack discover">
        <search class="discover-search">
          <SearchBox
            label={t('discover.searchLabel')}
            placeholder={t('discover.placeholder')}
            value={typed}
            onInput={(text) => search(text.trim())}
          />
        </search>
        <Content q={q} tag={tag} />
      </div>
    </Page>
  )
}

function Content({ q, tag }: { q: string; tag: string }) {
  if (isSearchable(q)) return <SearchResults q={q} />
  return tag === '' ? <Browse /> : <TopicPodcasts tag={tag} />
}

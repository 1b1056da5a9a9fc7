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

/** Milliseconds without a key until what was typed is looked for. */
const PAUSE = 300

/** What there is to listen to: found by words, by topic, or by what others do. The address says which. */
export default function Discover() {
  const { route } = useLocation()
  const q = useSearchParam('q')
  const tag = useSearchParam('tag')
  const typed = useSignal(q)
  const sought = useRef(q)
  useEffect(() => {
    // Back and forward lead to what was typed then.
    if (q !== sought.current) typed.value = q
    sought.current = q
  }, [q])
  const seek = useDebounce(PAUSE, (text: string) => {
    sought.current = text
    route(text === '' ? href('/discover') : `${href('/discover')}?q=${encodeURIComponent(text)}`, true)
  })

  return (
    <Page title={t('discover.title')} lead={t('discover.lead')}>
      <div class="stack discover">
        <search class="discover-search">
          <SearchBox
            label={t('discover.searchLabel')}
            placeholder={t('discover.placeholder')}
            value={typed.value}
            onInput={(text) => {
              typed.value = text
              seek(text.trim())
            }}
          />
        </search>
        <Found q={q} tag={tag} />
      </div>
    </Page>
  )
}

function Found({ q, tag }: { q: string; tag: string }) {
  if (isSearchable(q)) return <SearchResults q={q} />
  return tag === '' ? <Browse /> : <TopicPodcasts tag={tag} />
}

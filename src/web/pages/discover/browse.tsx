import type { Answer } from '../../api/client.ts'
import { call } from '../../api/client.ts'
import { ButtonLink } from '../../parts/button.tsx'
import { Empty, Failure } from '../../parts/notice.tsx'
import { href } from '../../state/base.ts'
import { useLoad } from '../../state/load.ts'
import { t } from '../../text/index.ts'
import { ListSkeleton } from './list-skeleton.tsx'
import { Popular } from './popular.tsx'
import { Suggestions } from './suggestions.tsx'
import { Topics } from './topics.tsx'
import { Trending } from './trending.tsx'

interface Shelves {
  readonly suggestions: Answer<'listSuggestions'>
  readonly toplist: Answer<'listToplist'>
  readonly tags: Answer<'listTags'>
}

const SUGGESTIONS = 6
const TOPLIST = 50
const TAGS = 40

/** Everything there is to see without looking for something. All of this server at once, so that nothing moves when more comes. */
export function Browse() {
  const { data, error, reload } = useLoad(fetchShelves)
  if (error.value) return <Failure error={error.value} onRetry={() => void reload()} />
  if (!data.value) return <ListSkeleton rows={8} />
  const { suggestions, toplist, tags } = data.value
  return (
    <div class="discover-shelves">
      {toplist.length === 0 ? <Nothing /> : <Suggestions suggestions={suggestions} />}
      {toplist.length > 0 && <Popular podcasts={toplist} />}
      {tags.length > 0 && <Topics tags={tags} />}
      <Trending />
    </div>
  )
}

async function fetchShelves(signal: AbortSignal): Promise<Shelves> {
  const [suggestions, toplist, tags] = await Promise.all([
    call('listSuggestions', { path: { count: SUGGESTIONS, format: 'json' }, signal }),
    call('listToplist', { path: { count: TOPLIST, format: 'json' }, signal }),
    call('listTags', { path: { count: TAGS }, signal }),
  ])
  return { suggestions, toplist, tags }
}

function Nothing() {
  const texts = t().discover
  return (
    <Empty title={texts.nothingTitle} text={texts.nothing}>
      <ButtonLink kind="main" href={href('/connect')}>
        {t().common.nav.connect}
      </ButtonLink>
      <ButtonLink href={href('/transfer')}>{texts.import}</ButtonLink>
    </Empty>
  )
}

import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { Failure } from '../../components/feedback/notice.tsx'
import { ListSkeleton } from '../../components/layout/skeleton.tsx'
import { PodcastItem } from '../../components/podcast/podcast-item.tsx'
import { useQuery } from '../../hooks/use-query.ts'
import { language, t } from '../../locales/index.ts'
import { server } from '../../store/session.ts'
import { callExternal, languageChoices } from './search.ts'

const COUNT = 20

/** Podcasts that are trending in the external directory. Renders nothing without a directory. */
export function Trending() {
  return server.value?.external_directory ? <TrendingList /> : null
}

function TrendingList() {
  const chosen = useSignal<string>(language.value)
  const id = useId()
  const { data, error, isLoading, reload } = useQuery(
    (signal) =>
      callExternal('listTrending', {
        query: { max: COUNT, ...(chosen.value !== '' && { lang: chosen.value }) },
        signal,
      }),
    [chosen.value],
  )
  return (
    <section class="stack" aria-labelledby={id}>
      <div class="row-apart">
        <h2 id={id}>{t('discover.trending')}</h2>
        <select
          class="select discover-language"
          aria-label={t('discover.trendingLanguage')}
          value={chosen.value}
          onChange={({ currentTarget }) => {
            chosen.value = currentTarget.value
          }}
        >
          <option value="">{t('discover.allLanguages')}</option>
          {languageChoices(language.value).map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      </div>
      {Boolean(error.value) && <Failure error={error.value} onRetry={() => void reload()} />}
      {!data.value && !error.value && <ListSkeleton rows={8} />}
      {data.value?.answer.length === 0 && (
        <p class="muted">{data.value.state === 'error' ? t('discover.elsewhereError') : t('discover.trendingNone')}</p>
      )}
      <ul class="podcast-list" aria-busy={isLoading.value}>
        {data.value?.answer.map((podcast) => (
          <li class="podcast-item" key={podcast.url}>
            <PodcastItem podcast={podcast} isExternal />
          </li>
        ))}
      </ul>
    </section>
  )
}

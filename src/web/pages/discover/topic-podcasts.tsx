import { useEffect, useRef } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { ButtonLink } from '../../parts/button.tsx'
import { Failure } from '../../parts/notice.tsx'
import { PodcastItem } from '../../parts/podcast-item.tsx'
import { href } from '../../state/base.ts'
import { useLoad } from '../../state/load.ts'
import { fill, language, plural, t } from '../../text/index.ts'
import { ListSkeleton } from './list-skeleton.tsx'

const COUNT = 100

/** The podcasts of one topic, which the address names. */
export function TopicPodcasts({ tag }: { tag: string }) {
  const texts = t().discover
  const heading = useRef<HTMLHeadingElement>(null)
  const { data, error, reload } = useLoad(
    async (signal) => {
      const [podcasts, tags] = await Promise.all([
        call('listPodcastsOfTag', { path: { tag, count: COUNT }, signal }),
        call('listTags', { path: { count: COUNT }, signal }),
      ])
      return { podcasts, topic: tags.find((each) => each.tag === tag)?.title ?? tag }
    },
    [tag],
  )
  useEffect(() => {
    window.scrollTo(0, 0)
    heading.current?.focus({ preventScroll: true })
  }, [tag])

  return (
    <section class="stack">
      <div class="row-apart">
        <h2 ref={heading} tabIndex={-1}>
          {fill(texts.about, { topic: data.value?.topic ?? tag })}
        </h2>
        <ButtonLink kind="quiet" icon="back" href={href('/discover')}>
          {texts.allTopics}
        </ButtonLink>
      </div>
      {Boolean(error.value) && <Failure error={error.value} onRetry={() => void reload()} />}
      {!data.value && !error.value && <ListSkeleton rows={8} />}
      {data.value?.podcasts.length === 0 && <p class="muted">{texts.aboutNone}</p>}
      <ul class="podcast-list">
        {data.value?.podcasts.map((podcast) => (
          <li class="podcast-item" key={podcast.url}>
            <PodcastItem podcast={podcast} note={plural(texts.listeners, podcast.subscribers, language.value)} />
          </li>
        ))}
      </ul>
    </section>
  )
}

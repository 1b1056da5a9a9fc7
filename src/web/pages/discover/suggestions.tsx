import { useId } from 'preact/hooks'
import type { Answer } from '../../api/client.ts'
import { PodcastItem } from '../../parts/podcast-item.tsx'
import { fill, language, t } from '../../text/index.ts'

/** Podcasts with the topics of those one has, and which these are. */
export function Suggestions({ suggestions }: { suggestions: Answer<'listSuggestions'> }) {
  const texts = t().discover
  const id = useId()
  return (
    <section class="stack" aria-labelledby={id}>
      <h2 id={id}>{texts.forYou}</h2>
      {suggestions.length === 0 ? (
        <p class="muted">{texts.forYouNone}</p>
      ) : (
        <ul class="podcast-cards">
          {suggestions.map((podcast) => (
            <li class="podcast-item card" key={podcast.url}>
              <PodcastItem podcast={podcast} hasDescription={false} note={reason(podcast.because)} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function reason(topics: readonly string[]): string {
  const list = new Intl.ListFormat(language.value, { type: 'conjunction' }).format(topics)
  return fill(t().discover.because, { topics: list })
}

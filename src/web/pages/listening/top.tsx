import type { Answer } from '../../api/client.ts'
import { Artwork } from '../../parts/artwork.tsx'
import { podcastPage } from '../../parts/podcast-item.tsx'
import { language, plural, t } from '../../text/index.ts'
import { duration } from './duration.ts'

type Statistics = Answer<'getListening'>

/** What was listened to most. */
export function Top({ podcasts }: { podcasts: Statistics['podcasts'] }) {
  const texts = t().listening
  return (
    <section class="card stack">
      <h2>{texts.top}</h2>
      <ol class="listening-top">
        {podcasts.slice(0, 8).map(({ url, title, logo_url: logo, minutes, episodes }) => (
          <li key={url}>
            <Artwork url={url} title={title} size={64} hasPicture={logo !== ''} />
            <div>
              <a href={podcastPage(url)} dir="auto">
                {title}
              </a>
              <p class="muted small">
                {duration(minutes)} · {plural(t().common.episodes, episodes, language.value)}
              </p>
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}

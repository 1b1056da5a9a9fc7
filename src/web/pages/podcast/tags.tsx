import type { Answer } from '../../api/client.ts'
import { href } from '../../state/base.ts'
import { t } from '../../text/index.ts'

/** What the podcast is about; each leads to more of the kind, where there is any. */
export function Tags({ tags }: { tags: Answer<'getPodcastPage'>['tags'] }) {
  if (tags.length === 0) return null
  return (
    <ul class="podcast-tags" aria-label={t().discover.topics}>
      {tags.map(({ tag, title, usage }) => (
        <li key={tag}>
          {usage > 0 ? (
            <a class="chip" href={`${href('/discover')}?tag=${encodeURIComponent(tag)}`} dir="auto">
              {title}
            </a>
          ) : (
            <span class="chip" dir="auto">
              {title}
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

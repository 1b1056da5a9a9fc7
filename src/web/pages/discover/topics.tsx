import { useId } from 'preact/hooks'
import type { Answer } from '../../api/client.ts'
import { href } from '../../state/base.ts'
import { number, t } from '../../text/index.ts'

/** Each leads to its podcasts. */
export function Topics({ tags }: { tags: Answer<'listTags'> }) {
  const id = useId()
  return (
    <section class="stack" aria-labelledby={id}>
      <h2 id={id}>{t().discover.topics}</h2>
      <ul class="topics">
        {tags.map(({ tag, title, usage }) => (
          <li key={tag}>
            <a class="chip chip-choice" href={`${href('/discover')}?tag=${encodeURIComponent(tag)}`}>
              {title} <span class="muted">{number(usage)}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

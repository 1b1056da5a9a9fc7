import { useSignal } from '@preact/signals'
import { language } from '../../text/index.ts'
import type { Held } from './preview.ts'

/** How many, and on demand which. */
export function PodcastNames({ summary, podcasts }: { summary: string; podcasts: readonly Held[] }) {
  const isOpen = useSignal(false)
  return (
    <details
      class="podcast-names"
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open
      }}
    >
      <summary>{summary}</summary>
      {isOpen.value && (
        <ul>
          {podcasts
            .toSorted((a, b) => a.title.localeCompare(b.title, language.value))
            .map(({ url, title }) => (
              <li key={url}>
                <bdi>{title}</bdi>
              </li>
            ))}
        </ul>
      )}
    </details>
  )
}

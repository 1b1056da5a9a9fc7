import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { Answer } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { useAddedFocus } from '../../parts/focus-added.ts'
import { PodcastItem } from '../../parts/podcast-item.tsx'
import { fill, language, number, plural, t } from '../../text/index.ts'
import { Movement } from './movement.tsx'

type Ranked = Answer<'listToplist'>[number]

const FIRST = 8

/** What most of the people here are subscribed to; the first few, and more on request. */
export function Popular({ podcasts }: { podcasts: readonly Ranked[] }) {
  const texts = t().discover
  const isAll = useSignal(false)
  // In its first week everything is new, which tells nobody anything.
  const hasPast = podcasts.some(({ position_last_week }) => position_last_week > 0)
  const id = useId()
  const shown = isAll.value ? podcasts : podcasts.slice(0, FIRST)
  const { list, expect } = useAddedFocus<HTMLOListElement>(shown.length)
  return (
    <section class="stack" aria-labelledby={id}>
      <h2 id={id}>{texts.popular}</h2>
      <ol class="podcast-list podcast-list-ranked" ref={list}>
        {shown.map((podcast, index) => (
          <li class="podcast-item" key={podcast.url}>
            <PodcastItem
              podcast={podcast}
              hasDescription={false}
              note={
                <>
                  {plural(texts.listeners, podcast.subscribers, language.value)}
                  {hasPast && <Movement place={index + 1} before={podcast.position_last_week} />}
                </>
              }
            />
          </li>
        ))}
      </ol>
      {!isAll.value && podcasts.length > FIRST && (
        <p>
          <Button
            onClick={() => {
              expect()
              isAll.value = true
            }}
          >
            {fill(texts.showAll, { n: number(podcasts.length) })}
          </Button>
        </p>
      )}
    </section>
  )
}

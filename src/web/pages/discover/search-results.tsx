import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import type { Answer } from '../../api/client.ts'
import { Failure } from '../../parts/notice.tsx'
import { PodcastItem } from '../../parts/podcast-item.tsx'
import { href } from '../../state/base.ts'
import { useLoad } from '../../state/load.ts'
import { account } from '../../state/session.ts'
import { fill, language, number, plural, t } from '../../text/index.ts'
import { callExternal, type ExternalState } from './external.ts'
import { ListSkeleton } from './list-skeleton.tsx'
import { addressOf } from './query.ts'

type Found = Answer<'searchAll'>

/** What this server has and what others have, beside each other. */
export function SearchResults({ q }: { q: string }) {
  const { data, error, isLoading, reload } = useLoad(
    (signal) => callExternal('searchAll', { query: { q }, signal }),
    [q],
  )
  if (error.value) return <Failure error={error.value} onRetry={() => void reload()} />
  const found = data.value
  if (!found)
    return (
      <div class="discover-columns">
        <ListSkeleton rows={5} />
        <ListSkeleton rows={5} />
      </div>
    )
  const { local, external } = found.answer
  return (
    <div class="discover-columns" aria-busy={isLoading.value}>
      <p class="hidden-text" role="status">
        {`${counted(t().discover.here, local)}. ${counted(t().discover.elsewhere, external)}.`}
      </p>
      <Column title={t().discover.here} results={local.length}>
        <Here q={q} podcasts={local} />
      </Column>
      <Column title={t().discover.elsewhere} results={external.length}>
        <Elsewhere podcasts={external} state={found.state} />
      </Column>
    </div>
  )
}

function counted(what: string, found: readonly unknown[]): string {
  const value = plural(t().discover.found, found.length, language.value)
  return fill(t().common.pair, { what, value })
}

interface ColumnProps {
  readonly title: string
  readonly results: number
  readonly children: ComponentChildren
}

function Column({ title, results, children }: ColumnProps) {
  const id = useId()
  return (
    <section class="discover-column" aria-labelledby={id}>
      <h2 id={id}>
        {title} {results > 0 && <span class="discover-count">{number(results)}</span>}
      </h2>
      {children}
    </section>
  )
}

function Here({ q, podcasts }: { q: string; podcasts: Found['local'] }) {
  const texts = t().discover
  const address = addressOf(q)
  if (podcasts.length > 0)
    return (
      <ul class="podcast-list">
        {podcasts.map((podcast) => (
          <li class="podcast-item" key={podcast.url}>
            <PodcastItem
              podcast={podcast}
              {...(podcast.subscribers > 0 && { note: plural(texts.listeners, podcast.subscribers, language.value) })}
            />
          </li>
        ))}
      </ul>
    )
  if (address === undefined) return <p class="muted">{texts.hereNone}</p>
  const unread = { url: address, title: address, author: '', description: '', logo_url: '', language: '' }
  return (
    <ul class="podcast-list">
      <li class="podcast-item">
        <PodcastItem podcast={unread} isExternal note={texts.byAddressLead} />
      </li>
    </ul>
  )
}

function Elsewhere({ podcasts, state }: { podcasts: Found['external']; state: ExternalState }) {
  const texts = t().discover
  if (podcasts.length > 0)
    return (
      <ul class="podcast-list">
        {podcasts.map((podcast) => (
          <li class="podcast-item" key={podcast.url}>
            <PodcastItem podcast={podcast} isExternal />
          </li>
        ))}
      </ul>
    )
  if (state === 'error') return <p class="muted">{texts.elsewhereError}</p>
  if (state === 'ok')
    return (
      <p class="muted">
        {texts.elsewhereNone} {texts.typeAddress}
      </p>
    )
  return account.value?.is_admin ? (
    <p class="muted">
      {texts.elsewhereOffAdmin} <a href={href('/admin/server')}>{texts.toServer}</a>
    </p>
  ) : (
    <p class="muted">
      {texts.elsewhereOff} {texts.typeAddress}
    </p>
  )
}

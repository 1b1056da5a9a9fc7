import { useSignal } from '@preact/signals'
import { Button, ButtonLink } from '../parts/button.tsx'
import { Segmented } from '../parts/choices.tsx'
import { SearchBox, SelectField } from '../parts/field.tsx'
import { regainFocus } from '../parts/kept-focus.ts'
import { Empty, errorText, Failure } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { href } from '../state/base.ts'
import { kept } from '../state/kept.ts'
import { useLoad } from '../state/load.ts'
import { opposite, removalOf } from '../state/subscription-changes.ts'
import {
  applyChanges,
  devices,
  holders,
  knowSubscriptions,
  loadOwnPodcasts,
  type OwnPodcast,
} from '../state/subscriptions.ts'
import { toast } from '../state/toasts.ts'
import { language, plural, t } from '../text/index.ts'
import { AddPodcast } from './home/add-podcast.tsx'
import { arrange, type Order } from './home/arrange.ts'
import { PodcastCard } from './home/podcast-card.tsx'

const ORDERS = ['title', 'newest', 'added'] as const
const VIEWS = ['grid', 'list'] as const

const order = kept<Order>('home.order', ORDERS, 'title')
const view = kept<(typeof VIEWS)[number]>('home.view', VIEWS, 'grid')

/** What the person is subscribed to, on all devices. */
export default function Home() {
  const texts = t().home
  const { data, error, reload } = useLoad(async (abort) => {
    const [list] = await Promise.all([loadOwnPodcasts(abort), knowSubscriptions()])
    return list
  })
  const filter = useSignal('')
  const device = useSignal('')
  const selected = useSignal<ReadonlySet<string> | undefined>(undefined)
  const isAdding = useSignal(false)
  // What was unsubscribed meanwhile, here or in a dialog, is gone from the list, too.
  const podcasts = data.value?.filter(({ url }) => (holders.value?.get(url)?.size ?? 1) > 0)

  async function unsubscribe(urls: readonly string[]): Promise<void> {
    const changes = removalOf(urls, holders.value ?? new Map())
    try {
      await applyChanges(changes)
    } catch (reason) {
      toast(errorText(reason), { kind: 'error' })
      return
    }
    endSelection()
    const remove = toast(plural(texts.unsubscribed, urls.length, language.value), {
      action: {
        label: t().common.undo,
        run: () => {
          remove()
          void applyChanges(opposite(changes)).then(reload, (reason) => toast(errorText(reason), { kind: 'error' }))
        },
      },
    })
  }

  function endSelection(): void {
    selected.value = undefined
    regainFocus(document.querySelector('h1'))
  }

  function toggle(url: string): void {
    const next = new Set(selected.value)
    if (!next.delete(url)) next.add(url)
    selected.value = next
  }

  const actions = (
    <>
      <Button
        icon="check"
        aria-pressed={selected.value !== undefined}
        onClick={() => {
          selected.value = selected.value ? undefined : new Set()
        }}
      >
        {texts.select}
      </Button>
      <Button
        kind="main"
        icon="plus"
        onClick={() => {
          isAdding.value = true
        }}
      >
        {texts.add}
      </Button>
    </>
  )
  return (
    <Page title={texts.title} actions={podcasts && podcasts.length > 0 && actions}>
      {isAdding.value && (
        <AddPodcast
          onClose={() => {
            isAdding.value = false
          }}
        />
      )}
      {error.value && !podcasts ? (
        <Failure error={error.value} onRetry={() => void reload()} />
      ) : !podcasts ? (
        <Skeleton height="11rem" count={3} />
      ) : podcasts.length === 0 ? (
        <Empty title={texts.emptyTitle} text={texts.emptyText}>
          <ButtonLink kind="main" icon="connect" href={href('/connect')}>
            {texts.emptyConnect}
          </ButtonLink>
          <ButtonLink icon="discover" href={href('/discover')}>
            {texts.emptyDiscover}
          </ButtonLink>
          <ButtonLink icon="transfer" href={href('/transfer')}>
            {texts.emptyImport}
          </ButtonLink>
          <Button
            icon="plus"
            onClick={() => {
              isAdding.value = true
            }}
          >
            {texts.addUrl}
          </Button>
        </Empty>
      ) : (
        <div class="stack">
          <div class="home-tools">
            <SearchBox
              label={texts.filter}
              value={filter.value}
              onInput={(value) => {
                filter.value = value
              }}
            />
            <SelectField
              label={texts.order}
              value={order.value}
              options={ORDERS.map((value) => ({ value, label: texts.orders[value] }))}
              onChoose={(value) => {
                order.value = value
              }}
            />
            <Segmented
              label={texts.view}
              value={view.value}
              options={VIEWS.map((value) => ({ value, label: texts.views[value] }))}
              onChoose={(value) => {
                view.value = value
              }}
            />
          </div>
          <DeviceChips
            chosen={device.value}
            onChoose={(id) => {
              device.value = id
            }}
          />
          {selected.value && (
            <SelectionBar selected={selected.value} onEnd={endSelection} onUnsubscribe={unsubscribe} />
          )}
          <PodcastList
            podcasts={arrange(
              podcasts,
              { order: order.value, filter: filter.value, device: device.value },
              language.value,
            )}
            selected={selected.value}
            onToggle={toggle}
            onShowAll={() => {
              filter.value = ''
              device.value = ''
            }}
          />
        </div>
      )}
    </Page>
  )
}

function DeviceChips({ chosen, onChoose }: { chosen: string; onChoose: (id: string) => void }) {
  const all = devices.value ?? []
  if (all.length < 2) return null
  const choices = [{ id: '', caption: t().home.allDevices }, ...all]
  return (
    <fieldset class="row home-devices" aria-label={t().home.device}>
      {choices.map(({ id, caption }) => (
        <button
          type="button"
          key={id}
          class="chip chip-choice"
          aria-pressed={id === chosen}
          onClick={() => onChoose(id)}
        >
          {caption}
        </button>
      ))}
    </fieldset>
  )
}

interface SelectionBarProps {
  readonly selected: ReadonlySet<string>
  readonly onEnd: () => void
  readonly onUnsubscribe: (urls: readonly string[]) => Promise<void>
}

function SelectionBar({ selected, onEnd, onUnsubscribe }: SelectionBarProps) {
  const texts = t().home
  return (
    <div class="home-selection">
      <strong role="status">{plural(texts.selected, selected.size, language.value)}</strong>
      <div class="row">
        <Button kind="danger" icon="trash" disabled={selected.size === 0} onClick={() => onUnsubscribe([...selected])}>
          {texts.unsubscribe}
        </Button>
        <Button onClick={onEnd}>{t().common.cancel}</Button>
      </div>
    </div>
  )
}

interface PodcastListProps {
  readonly podcasts: readonly OwnPodcast[]
  readonly selected: ReadonlySet<string> | undefined
  readonly onToggle: (url: string) => void
  readonly onShowAll: () => void
}

function PodcastList({ podcasts, selected, onToggle, onShowAll }: PodcastListProps) {
  if (podcasts.length === 0)
    return (
      <Empty title={t().home.nothingFound} text="">
        <Button onClick={onShowAll}>{t().home.showAll}</Button>
      </Empty>
    )
  return (
    <ul class={`home-${view.value}`}>
      {podcasts.map((podcast) => (
        <PodcastCard
          key={podcast.url}
          podcast={podcast}
          {...(selected && { isSelected: selected.has(podcast.url), onToggle: () => onToggle(podcast.url) })}
        />
      ))}
    </ul>
  )
}

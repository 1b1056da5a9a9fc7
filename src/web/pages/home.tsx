import { useSignal } from '@preact/signals'
import { Button } from '../parts/button.tsx'
import { feedName } from '../parts/feed-name.ts'
import { regainFocus } from '../parts/kept-focus.ts'
import { errorText, Failure } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { useLoad } from '../state/load.ts'
import { useRefresh } from '../state/refresh.ts'
import { opposite, removalOf } from '../state/subscription-changes.ts'
import { applyChanges, countNew, holders, knowDevices, loadOwnPodcasts } from '../state/subscriptions.ts'
import { toast } from '../state/toasts.ts'
import { language, plural, t } from '../text/index.ts'
import { AddPodcast } from './home/add-podcast.tsx'
import { arrange } from './home/arrange.ts'
import { chosenDevice, filter, order } from './home/choice.ts'
import { NothingYet } from './home/nothing-yet.tsx'
import { PodcastList } from './home/podcast-list.tsx'
import { SelectionBar } from './home/selection-bar.tsx'
import { Tools } from './home/tools.tsx'

const SUBJECT = 'subscriptions'

/** What the person is subscribed to, on all devices. */
export default function Home() {
  const texts = t().home
  const { data, error, reload } = useLoad(async () => {
    const [list] = await Promise.all([loadOwnPodcasts(), knowDevices()])
    return list.map((podcast) => ({ ...podcast, title: feedName(podcast) }))
  })
  const selected = useSignal<ReadonlySet<string> | undefined>(undefined)
  const isAdding = useSignal(false)
  // What was unsubscribed meanwhile, here or in a dialog, is gone from the list, too.
  const podcasts = data.value?.filter(({ url }) => (holders.value?.get(url)?.size ?? 1) > 0)
  const awaited = podcasts?.filter(({ health }) => health.state === 'new').length ?? 0
  useRefresh({ reload, awaited, countAwaited: countNew })
  const shown = arrange(
    podcasts ?? [],
    { order: order.value, filter: filter.value, device: chosenDevice() },
    language.value,
  )

  async function unsubscribe(urls: readonly string[]): Promise<void> {
    const changes = removalOf(urls, holders.value ?? new Map())
    try {
      await applyChanges(changes)
    } catch (reason) {
      toast(errorText(reason), { kind: 'error', subject: SUBJECT })
      return
    }
    endSelection()
    toast(plural(texts.unsubscribed, urls.length, language.value), {
      subject: SUBJECT,
      action: {
        label: t().common.undo,
        run: () =>
          void applyChanges(opposite(changes)).then(reload, (reason) =>
            toast(errorText(reason), { kind: 'error', subject: SUBJECT }),
          ),
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

  function add(): void {
    isAdding.value = true
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
      <Button kind="main" icon="plus" onClick={add}>
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
        <NothingYet onAdd={add} />
      ) : (
        <div class="stack">
          <Tools />
          {selected.value && shown.length > 0 && (
            <SelectionBar
              selected={selected.value}
              urls={shown.map(({ url }) => url)}
              onSelect={(urls) => {
                selected.value = urls
              }}
              onEnd={endSelection}
              onUnsubscribe={unsubscribe}
            />
          )}
          <PodcastList podcasts={shown} selected={selected.value} onToggle={toggle} />
        </div>
      )}
    </Page>
  )
}

import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { t } from '../../locales/index.ts'
import { type DeviceChange, deviceSets, invert, removeEverywhere } from '../../store/subscription-changes.ts'
import {
  applyChanges,
  devices,
  ensureSubscriptions,
  feedUrl,
  groups,
  holders,
  holdersOf,
} from '../../store/subscriptions.ts'
import { toast } from '../../store/toasts.ts'
import { errorMessage } from '../feedback/error-message.ts'
import { Button } from '../forms/button.tsx'
import { restoreFocus } from '../forms/focus.ts'
import { hasNoTitle } from './artwork.tsx'
import { FirstDeviceDialog, SubscribeDialog } from './subscribe-dialog.tsx'

interface SubscribeProps {
  /** Of the feed. */
  readonly url: string
  readonly title: string
  /** `main` where it is what the page is about. */
  readonly kind?: 'main' | 'plain'
  /** Where there is little room only its sign is shown. */
  readonly isCompact?: boolean
}

/**
 * Subscribes, and shows which devices have the podcast. Where there is nothing to choose it does so at once; else it asks for which
 * devices. Everything can be taken back from the message that follows.
 */
export function Subscribe({ url, title, kind = 'plain', isCompact = false }: SubscribeProps) {
  const place = useRef<HTMLDivElement>(null)
  const isBusy = useSignal(false)
  const asks = useSignal<'devices' | 'first' | undefined>(undefined)
  const has = holdersOf(url)
  const isWaiting = useSignal(holders.value === undefined)
  useEffect(() => {
    // Without an answer the button still works: it asks again.
    void ensureSubscriptions()
      .catch(() => undefined)
      .then(() => {
        isWaiting.value = false
      })
  }, [])

  async function run(work: () => Promise<void>): Promise<void> {
    isBusy.value = true
    try {
      await work()
    } catch (error) {
      toast(errorMessage(error), { kind: 'error', subject: url })
    }
    isBusy.value = false
    // A button that cannot be pressed while it works loses the focus.
    restoreFocus(place.current?.querySelector('button'))
  }

  function press(): Promise<void> {
    return run(async () => {
      await ensureSubscriptions()
      const units = deviceSets(devices.value ?? [], groups.value)
      if (units.length === 0) asks.value = 'first'
      else if (units.length > 1 || holdersOf(url).size > 0) asks.value = 'devices'
      else await change((devices.value ?? []).map(({ id }) => ({ device: id, add: [feedUrl(url)], remove: [] })))
    })
  }

  async function change(changes: readonly DeviceChange[]): Promise<void> {
    const titles = hasNoTitle({ title, url }) ? undefined : { [feedUrl(url)]: title }
    await applyChanges(changes, titles)
    toast(outcome(), {
      subject: url,
      action: {
        label: t('common.undo'),
        run: () => {
          void run(() => applyChanges(invert(changes), titles))
        },
      },
    })
  }

  function outcome(): string {
    const { size } = holdersOf(url)
    if (size === 0) return t('subscribe.ended', { title })
    return size === devices.value?.length ? t('subscribe.done', { title }) : t('subscribe.changed', { title })
  }

  return (
    <div class="subscribe" data-compact={isCompact} ref={place}>
      <Button
        kind={has.size > 0 ? 'quiet' : kind}
        icon={has.size > 0 ? 'check' : 'plus'}
        isBusy={isBusy.value || isWaiting.value}
        onClick={press}
      >
        <span class="subscribe-label">{label(has.size)}</span>
        <span class="hidden-text">: {title}</span>
      </Button>
      {asks.value === 'devices' && (
        <SubscribeDialog
          url={feedUrl(url)}
          title={title}
          has={has}
          onClose={() => {
            asks.value = undefined
          }}
          onSave={(changes) => void run(() => change(changes))}
          onUnsubscribe={() => void run(() => change(removeEverywhere([feedUrl(url)], holders.value ?? new Map())))}
        />
      )}
      {asks.value === 'first' && (
        <FirstDeviceDialog
          onClose={() => {
            asks.value = undefined
          }}
          onCreated={press}
        />
      )}
    </div>
  )
}

function label(count: number): string {
  const all = devices.value?.length ?? count
  if (count === 0) return t('subscribe.subscribe')
  return count < all ? t('subscribe.onSome', { n: count, all }) : t('subscribe.subscribed')
}

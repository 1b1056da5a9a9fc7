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
  /** The feed URL. */
  readonly url: string
  readonly title: string
  /** `main` where the page is about this podcast. */
  readonly kind?: 'main' | 'plain'
  /** Shows only the icon where there is little room. */
  readonly isCompact?: boolean
}

/**
 * The button that subscribes and shows on how many devices the podcast is. It asks for devices only where there is a choice. The message
 * that follows has a button to undo the change.
 */
export function Subscribe({ url, title, kind = 'plain', isCompact = false }: SubscribeProps) {
  const container = useRef<HTMLDivElement>(null)
  const isBusy = useSignal(false)
  const dialog = useSignal<'devices' | 'first' | undefined>(undefined)
  const has = holdersOf(url)
  const isLoading = useSignal(holders.value === undefined)
  useEffect(() => {
    // If this fails the button still works, since pressing it loads the data again.
    void ensureSubscriptions()
      .catch(() => undefined)
      .then(() => {
        isLoading.value = false
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
    // A button that is disabled while it works loses the focus.
    restoreFocus(container.current?.querySelector('button'))
  }

  function press(): Promise<void> {
    return run(async () => {
      await ensureSubscriptions()
      const sets = deviceSets(devices.value ?? [], groups.value)
      if (sets.length === 0) dialog.value = 'first'
      else if (sets.length > 1 || holdersOf(url).size > 0) dialog.value = 'devices'
      else await change((devices.value ?? []).map(({ id }) => ({ device: id, add: [feedUrl(url)], remove: [] })))
    })
  }

  async function change(changes: readonly DeviceChange[]): Promise<void> {
    const titles = hasNoTitle({ title, url }) ? undefined : { [feedUrl(url)]: title }
    await applyChanges(changes, titles)
    toast(message(), {
      subject: url,
      action: {
        label: t('common.undo'),
        run: () => {
          void run(() => applyChanges(invert(changes), titles))
        },
      },
    })
  }

  function message(): string {
    const { size } = holdersOf(url)
    if (size === 0) return t('subscribe.ended', { title })
    return size === devices.value?.length ? t('subscribe.done', { title }) : t('subscribe.changed', { title })
  }

  return (
    <div class="subscribe" data-compact={isCompact} ref={container}>
      <Button
        kind={has.size > 0 ? 'quiet' : kind}
        icon={has.size > 0 ? 'check' : 'plus'}
        isBusy={isBusy.value || isLoading.value}
        onClick={press}
      >
        <span class="subscribe-label">{label(has.size)}</span>
        <span class="hidden-text">: {title}</span>
      </Button>
      {dialog.value === 'devices' && (
        <SubscribeDialog
          url={feedUrl(url)}
          title={title}
          has={has}
          onClose={() => {
            dialog.value = undefined
          }}
          onSave={(changes) => void run(() => change(changes))}
          onUnsubscribe={() => void run(() => change(removeEverywhere([feedUrl(url)], holders.value ?? new Map())))}
        />
      )}
      {dialog.value === 'first' && (
        <FirstDeviceDialog
          onClose={() => {
            dialog.value = undefined
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

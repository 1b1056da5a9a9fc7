import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { setTo } from '../../hooks/setters.ts'
import { t } from '../../locales/index.ts'
import { ensurePodcastDevices, podcastDevices } from '../../store/own-device.ts'
import {
  applyChanges,
  changesBetween,
  type Device,
  type DeviceChange,
  devices,
  ensureSubscriptions,
  feedUrl,
  groups,
  holders,
  holdersOf,
  invert,
  removeEverywhere,
} from '../../store/subscriptions.ts'
import { toast } from '../../store/toasts.ts'
import { attempt } from '../feedback/notice.tsx'
import { Button } from '../forms/button.tsx'
import { CancelButton, closeDialog, Dialog, DialogActions } from '../forms/dialog.tsx'
import { restoreFocus } from '../forms/focus.ts'
import { hasNoTitle } from './artwork.tsx'
import { DeviceChoices } from './device-choices.tsx'

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
 * The button that subscribes, on all devices. Pressed again it lets the user choose among them, or unsubscribe. The message that follows has a button to undo the change.
 */
export function Subscribe({ url, title, kind = 'plain', isCompact = false }: SubscribeProps) {
  const container = useRef<HTMLDivElement>(null)
  const isBusy = useSignal(false)
  const isChoosing = useSignal(false)
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
    await attempt(work, url)
    isBusy.value = false
    // A button that is disabled while it works loses the focus.
    restoreFocus(container.current?.querySelector('button'))
  }

  function press(): Promise<void> {
    return run(async () => {
      await ensureSubscriptions()
      const targets = await ensurePodcastDevices()
      if (holdersOf(url).size > 0) isChoosing.value = true
      else await change(targets.map(({ id }) => ({ device: id, add: [feedUrl(url)], remove: [] })))
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
    const now = holdersOf(url)
    if (now.size === 0) return t('subscribe.ended', { title })
    return now.size === choices(now).length ? t('subscribe.done', { title }) : t('subscribe.changed', { title })
  }

  return (
    <div class="subscribe" data-compact={isCompact} ref={container}>
      <Button
        kind={has.size > 0 ? 'quiet' : kind}
        icon={has.size > 0 ? 'check' : 'plus'}
        about={title}
        {...holdersText(has)}
        isBusy={isBusy.value || isLoading.value}
        onClick={press}
      >
        {has.size > 0 ? t('subscribe.subscribed') : t('subscribe.subscribe')}
      </Button>
      {isChoosing.value && (
        <SubscribeDialog
          url={feedUrl(url)}
          title={title}
          has={has}
          onClose={setTo(isChoosing, false)}
          onSave={(changes) => void run(() => change(changes))}
          onUnsubscribe={() => void run(() => change(removeEverywhere([feedUrl(url)], holders.value ?? new Map())))}
        />
      )}
    </div>
  )
}

/** The devices to choose among: those for podcasts, and those that have this one. */
function choices(has: ReadonlySet<string>): readonly Device[] {
  const all = devices.value ?? []
  const forPodcasts = podcastDevices(all, groups.value)
  return all.filter((device) => forPodcasts.includes(device) || has.has(device.id))
}

/** Says on how many devices the podcast is, if some have it and others do not. */
function holdersText(has: ReadonlySet<string>): { readonly tooltip?: string } {
  const all = devices.value ? choices(has).length : has.size
  return has.size > 0 && has.size < all ? { tooltip: t('subscribe.onSome', { n: has.size, all }) } : {}
}

interface SubscribeDialogProps {
  readonly url: string
  readonly title: string
  readonly has: ReadonlySet<string>
  readonly onClose: () => void
  readonly onSave: (changes: readonly DeviceChange[]) => void
  readonly onUnsubscribe: () => void
}

/** Asks which devices are to have a podcast that some have. */
function SubscribeDialog({ url, title, has, onClose, onSave, onUnsubscribe }: SubscribeDialogProps) {
  const wanted = useSignal(has)
  const changes = changesBetween(url, has, wanted.value)

  return (
    <Dialog title={t('subscribe.choose', { title })} onClose={onClose}>
      <p class="muted">{t('subscribe.chooseLead')}</p>
      <form class="stack" method="dialog" onSubmit={() => onSave(changes)}>
        <DeviceChoices devices={choices(has)} wanted={wanted} />
        <DialogActions>
          <Button
            kind="danger"
            onClick={(event) => {
              closeDialog(event)
              onUnsubscribe()
            }}
          >
            {t('subscribe.everywhere')}
          </Button>
          <CancelButton />
          <Button kind="main" type="submit" disabled={changes.length === 0}>
            {t('common.save')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

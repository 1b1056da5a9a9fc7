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
  holdersOf,
  invert,
  removeEverywhere,
  subscribedDevices,
} from '../../store/subscriptions.ts'
import { toast } from '../../store/toasts.ts'
import { attempt } from '../feedback/notice.tsx'
import { Button } from '../forms/button.tsx'
import { CancelButton, Dialog, DialogActions } from '../forms/dialog.tsx'
import { restoreFocus } from '../forms/focus.ts'
import { Menu, MenuItem } from '../forms/menu.tsx'
import { Icon } from '../icon.tsx'
import { hasNoTitle } from './artwork.tsx'
import { DeviceChoices } from './device-choices.tsx'
import { FolderDialog } from './folder-dialog.tsx'

interface SubscribeProps {
  /** Feed URL. */
  readonly url: string
  readonly title: string
  /** `main` on the page of the podcast. */
  readonly kind?: 'main' | 'plain'
  /** Shows only the icon if space is short. */
  readonly isCompact?: boolean
}

/** Button that subscribes on all devices. Once subscribed, a menu: devices, folders, unsubscribe. Offers undo. */
export function Subscribe({ url, title, kind = 'plain', isCompact = false }: SubscribeProps) {
  const container = useRef<HTMLDivElement>(null)
  const isBusy = useSignal(false)
  const isChoosing = useSignal(false)
  const isFiling = useSignal(false)
  const has = holdersOf(url)
  const isLoading = useSignal(subscribedDevices.value === undefined)
  useEffect(() => {
    // If this fails, the button still works because pressing it loads the data again.
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
    // The button lost the focus when it was disabled.
    restoreFocus(container.current?.querySelector('button'))
  }

  function subscribe(): Promise<void> {
    return run(async () => {
      await ensureSubscriptions()
      const targets = await ensurePodcastDevices()
      if (holdersOf(url).size > 0) return
      await change(targets.map(({ id }) => ({ device: id, add: [feedUrl(url)], remove: [] })))
    })
  }

  const unsubscribe = () => run(() => change(removeEverywhere([feedUrl(url)], subscribedDevices.value ?? new Map())))

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
      {has.size === 0 ? (
        <Button kind={kind} icon="plus" about={title} isBusy={isBusy.value || isLoading.value} onClick={subscribe}>
          {t('subscribe.subscribe')}
        </Button>
      ) : (
        <Menu
          class="button button-quiet more"
          name={t('common.pair', { what: t('subscribe.subscribed'), value: title })}
          content={
            <>
              <Icon name="check" />
              <span title={holdersText(has)}>{t('subscribe.subscribed')}</span>
            </>
          }
        >
          {() => (
            <>
              {choices(has).length > 1 && (
                <MenuItem icon="devices" onClick={setTo(isChoosing, true)}>
                  {t('subscribe.devices')}
                </MenuItem>
              )}
              <MenuItem icon="folder" onClick={setTo(isFiling, true)}>
                {t('folders.assign')}
              </MenuItem>
              <MenuItem icon="trash" onClick={unsubscribe}>
                {t('subscribe.everywhere')}
              </MenuItem>
            </>
          )}
        </Menu>
      )}
      {isChoosing.value && (
        <SubscribeDialog
          url={feedUrl(url)}
          title={title}
          has={has}
          onClose={setTo(isChoosing, false)}
          onSave={(changes) => void run(() => change(changes))}
        />
      )}
      {isFiling.value && <FolderDialog urls={[url]} onClose={setTo(isFiling, false)} />}
    </div>
  )
}

/** Returns the devices to choose from: those for podcasts, and those that already have this one. */
function choices(has: ReadonlySet<string>): readonly Device[] {
  const all = devices.value ?? []
  const forPodcasts = podcastDevices(all, groups.value)
  return all.filter((device) => forPodcasts.includes(device) || has.has(device.id))
}

/** Returns a text with the number of devices that have the podcast; `undefined` if all have it. */
function holdersText(has: ReadonlySet<string>): string | undefined {
  const all = devices.value ? choices(has).length : has.size
  return has.size < all ? t('subscribe.onSome', { n: has.size, all }) : undefined
}

interface SubscribeDialogProps {
  readonly url: string
  readonly title: string
  readonly has: ReadonlySet<string>
  readonly onClose: () => void
  readonly onSave: (changes: readonly DeviceChange[]) => void
}

/** Dialog that chooses the devices of a subscribed podcast. */
function SubscribeDialog({ url, title, has, onClose, onSave }: SubscribeDialogProps) {
  const selected = useSignal(has)
  const changes = changesBetween(url, has, selected.value)

  return (
    <Dialog title={t('subscribe.choose', { title })} onClose={onClose}>
      <p class="muted">{t('subscribe.chooseLead')}</p>
      <form class="stack" method="dialog" onSubmit={() => onSave(changes)}>
        <DeviceChoices devices={choices(has)} selected={selected} />
        <DialogActions>
          <CancelButton />
          <Button kind="main" type="submit" disabled={changes.length === 0}>
            {t('common.save')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { setTo } from '../hooks/setters.ts'
import { useHints } from '../hooks/use-hints.ts'
import { t } from '../locales/index.ts'
import {
  decline,
  enableAutoSync,
  ensureSyncOffer,
  isSyncOfferKnown,
  reloadSyncOffer,
  type SyncOffer,
  syncOffer,
} from '../store/sync/sync-offer.ts'
import { toast } from '../store/toasts.ts'
import { captionList } from './device.tsx'
import { attempt } from './feedback/notice.tsx'
import { Button } from './forms/button.tsx'
import { restoreFocus } from './forms/focus.ts'
import { Icon } from './icon.tsx'
import { MetaLine } from './layout/page.tsx'
import { Reserved } from './layout/reserved.tsx'

const SUBJECT = 'sync-banner'

/** Offer to keep all devices in sync with one click. Shows how many podcasts each device would get. */
export function SyncBanner() {
  const isKnown = useSignal(isSyncOfferKnown.peek())
  useEffect(() => {
    // If loading fails, nothing is offered.
    void ensureSyncOffer()
      .catch(() => undefined)
      .then(setTo(isKnown, true))
  }, [])
  useHints(['devices', 'subscriptions'], () => reloadSyncOffer().catch(() => undefined))
  return (
    <Reserved name="sync-banner" isSettled={isKnown.value}>
      {syncOffer.value && <Banner offer={syncOffer.value} />}
    </Reserved>
  )
}

function Banner({ offer }: { offer: SyncOffer }) {
  const isBusy = useSignal(false)

  async function accept(accepted: SyncOffer): Promise<void> {
    isBusy.value = true
    await attempt(async () => {
      const undo = await enableAutoSync()
      const label = t('common.undo')
      toast(t('sync.done', { devices: captionList(accepted.devices) }), {
        subject: SUBJECT,
        action: { label, run: () => void attempt(undo, SUBJECT) },
      })
    }, SUBJECT)
    isBusy.value = false
    restoreFocus(document.querySelector('h1'))
  }

  return (
    <section class="row sync-banner" aria-labelledby="sync-banner">
      <Icon name="devices" />
      <div>
        <h2 id="sync-banner">{question(offer)}</h2>
        <MetaLine items={effects(offer)} />
      </div>
      <div class="row">
        <Button kind="main" isBusy={isBusy.value} onClick={() => accept(offer)}>
          {offer.isGift ? t('sync.give') : t('sync.keep')}
        </Button>
        <Button
          kind="quiet"
          onClick={() => {
            decline(offer)
            restoreFocus(document.querySelector('h1'))
          }}
        >
          {t('sync.decline')}
        </Button>
      </div>
    </section>
  )
}

function question({ devices, gains: [first], isGift }: SyncOffer): string {
  if (isGift && first) return t('sync.giveQuestion', { device: captionList(first.devices), n: first.urls.length })
  return t('sync.question', { devices: captionList(devices) })
}

function effects({ gains, isGift }: SyncOffer): readonly string[] {
  const later = t('sync.later')
  if (isGift) return [t('sync.giveText'), later]
  const gaining = gains.filter(({ urls }) => urls.length > 0)
  if (gaining.length === 0) return [t('sync.same'), later]
  return [
    ...gaining.map(({ devices, urls }) => t('sync.gets', { device: captionList(devices), n: urls.length })),
    later,
  ]
}

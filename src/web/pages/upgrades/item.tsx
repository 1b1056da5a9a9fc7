import { DeviceName } from '../../components/device.tsx'
import { errorMessage } from '../../components/feedback/error-message.ts'
import { Button } from '../../components/forms/button.tsx'
import { useRestoredFocus } from '../../components/forms/focus.ts'
import { Icon } from '../../components/icon.tsx'
import { Artwork } from '../../components/podcast/artwork.tsx'
import { podcastHref } from '../../components/podcast/podcast-item.tsx'
import { t } from '../../locales/index.ts'
import { devices, holdersOf } from '../../store/subscriptions.ts'
import type { Outcome, Upgrade } from '../../store/upgrades.ts'

interface UpgradeItemProps {
  readonly upgrade: Upgrade
  readonly outcome: Outcome | undefined
  readonly onApply: () => void
}

/** A podcast with its old and new address, its devices, and a button to upgrade it. */
export function UpgradeItem({ upgrade, outcome, onApply }: UpgradeItemProps) {
  const { kind, from, to, title } = upgrade
  const step = useRestoredFocus<HTMLDivElement>(outcome?.state)
  const owners = outcome?.state === 'done' ? new Set(outcome.devices) : holdersOf(from)
  return (
    <>
      <Artwork url={from} title={title} size={128} />
      <div class="stack-small upgrade-text">
        <h3 dir="auto">
          <a href={podcastHref(outcome?.state === 'done' ? to : from)} data-item="">
            {title}
          </a>
        </h3>
        {kind === 'https' ? <ByHttps url={to} /> : <Moved from={from} to={to} />}
        <ul class="row upgrade-devices" aria-label={t('common.nav.devices')}>
          {(devices.value ?? [])
            .filter(({ id }) => owners.has(id))
            .map((device) => (
              <li class="chip" key={device.id}>
                <DeviceName device={device} />
              </li>
            ))}
        </ul>
        {outcome?.state === 'failed' && (
          <p class="field-error" role="alert">
            {t('upgrades.failed', { message: errorMessage(outcome.error) })}
          </p>
        )}
      </div>
      <div class="upgrade-step" role="status" tabIndex={-1} ref={step}>
        {outcome?.state === 'done' ? (
          <span class="chip chip-good">
            <Icon name="check" />
            {t('upgrades.done', { n: outcome.devices.length })}
          </span>
        ) : (
          <Button isBusy={outcome?.state === 'waiting'} onClick={onApply}>
            {outcome?.state === 'waiting'
              ? t('upgrades.waiting')
              : kind === 'https'
                ? t('upgrades.one')
                : t('upgrades.follow')}
            <span class="hidden-text">: {title}</span>
          </Button>
        )}
      </div>
    </>
  )
}

function ByHttps({ url }: { readonly url: string }) {
  return (
    <p class="upgrade-address">
      <span class="upgrade-scheme upgrade-http">http</span>
      <Icon name="forward" />
      <span class="hidden-text">{t('upgrades.to')}</span>
      <span class="upgrade-scheme upgrade-https">https</span>
      <span class="upgrade-rest muted small" dir="ltr">
        {url.slice('https'.length)}
      </span>
    </p>
  )
}

function Moved({ from, to }: { readonly from: string; readonly to: string }) {
  return (
    <p class="upgrade-address">
      <span class="upgrade-rest muted small" dir="ltr">
        {from}
      </span>
      <Icon name="forward" />
      <span class="hidden-text">{t('upgrades.to')}</span>
      <span class="upgrade-rest small" dir="ltr">
        {to}
      </span>
    </p>
  )
}

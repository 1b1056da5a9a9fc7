import { captionList, captionOf, DeviceIcon } from '../../components/device.tsx'
import { Button } from '../../components/forms/button.tsx'
import { Fold } from '../../components/layout/fold.tsx'
import { MetaLine } from '../../components/layout/page.tsx'
import { ago, date, t } from '../../locales/index.ts'
import { isBrowserDevice, isOwnDevice } from '../../store/own-device.ts'
import { type Device, devices } from '../../store/subscriptions.ts'

interface DeviceActions {
  /** The app that last used each device, by device ID. */
  readonly apps: ReadonlyMap<string, string>
  readonly onEdit: (device: Device) => void
  readonly onRemove: (device: Device) => void
}

type DeviceSetCardProps = DeviceActions & {
  /** A sync group, or a single ungrouped device. */
  readonly devices: readonly Device[]
  /** Whether there are no other devices to sync with. */
  readonly isOnly: boolean
  /** Asks the user for devices to sync with. */
  readonly onSync: () => void
}

/** A card for devices that share a list of podcasts. */
export function DeviceSetCard({ devices: set, isOnly, onSync, ...actions }: DeviceSetCardProps) {
  const ids = set.map(({ id }) => id)
  const isGroup = set.length > 1
  const podcasts = Math.max(0, ...set.map(({ subscriptions }) => subscriptions))
  const label = isGroup ? t('devices.groupOf', { devices: captionList(ids) }) : captionList(ids)
  return (
    <section class={isGroup ? 'card stack device-card group' : 'card stack device-card'} aria-label={label}>
      <header class="row-apart">
        <h2>{t('common.podcasts', { n: podcasts })}</h2>
        {!isOnly && (
          <span class={isGroup ? 'chip chip-good' : 'chip'}>{isGroup ? t('devices.inSync') : t('devices.alone')}</span>
        )}
      </header>
      <ul class="group-devices stack">
        {set.map((device) => (
          <li key={device.id}>
            <DeviceRow device={device} {...actions} />
          </li>
        ))}
      </ul>
      {!isOnly && (
        <Button kind="quiet" onClick={onSync} about={captionList(ids)}>
          {isGroup ? t('devices.changeGroup') : t('devices.join')}
        </Button>
      )}
    </section>
  )
}

interface BrowserListProps extends DeviceActions {
  readonly browsers: readonly Device[]
}

/** Browsers, which play episodes but hold no podcasts. */
export function BrowserList({ browsers, ...actions }: BrowserListProps) {
  if (browsers.length === 0) return null
  return (
    <Fold title={t('devices.browsers', { n: browsers.length })}>
      <p class="muted small">{t('devices.browsersHint')}</p>
      <ul class="group-devices stack">
        {browsers.map((device) => (
          <li key={device.id}>
            <DeviceRow device={device} {...actions} />
          </li>
        ))}
      </ul>
    </Fold>
  )
}

/** A device with its name, app, last-seen time and actions. */
function DeviceRow({ device, apps, onEdit, onRemove }: DeviceActions & { readonly device: Device }) {
  const { id, type } = device
  const caption = captionOf(id, devices.value)
  return (
    <div class="media device">
      <span class="device-icon">
        <DeviceIcon type={type} />
      </span>
      <div class="media-text">
        <p class="media-title">
          <bdi>{caption}</bdi>
          {isOwnDevice(id) && caption !== t('devices.thisBrowser') && (
            <span class="muted"> · {t('devices.thisBrowser')}</span>
          )}
        </p>
        <MetaLine
          items={[
            apps.get(id),
            // Browsers do not sync, so a missing time is normal.
            (device.last_contact !== '' || !isBrowserDevice(device)) && <LastSeen at={device.last_contact} />,
          ]}
        />
      </div>
      <Button kind="quiet" icon="edit" label={t('devices.edit', { device: caption })} onClick={() => onEdit(device)} />
      <Button
        kind="quiet"
        icon="trash"
        label={t('devices.remove', { device: caption })}
        onClick={() => onRemove(device)}
      />
    </div>
  )
}

function LastSeen({ at }: { at: string }) {
  if (at === '') return <span>{t('devices.unseen')}</span>
  return (
    <time dateTime={`${at}Z`} title={date(at, 'time')}>
      {t('devices.seen', { ago: ago(at) })}
    </time>
  )
}

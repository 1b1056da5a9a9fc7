import type { ComponentChildren } from 'preact'
import { requestUrl } from '../../api/client.ts'
import { ADDRESSES } from '../../api/schema.ts'
import { DeviceName } from '../../components/device.tsx'
import { Failure } from '../../components/feedback/notice.tsx'
import { ButtonLink } from '../../components/forms/button.tsx'
import { Skeleton, TitledSection } from '../../components/layout/page.tsx'
import { useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { ownPodcastDevices } from '../../store/own-device.ts'
import { ownName } from '../../store/session.ts'
import { devices, ensureSubscriptions, subscribedDevices } from '../../store/subscriptions.ts'

/** Downloads for the whole account. */
const WHOLE = [
  ['all', 'exportAccount'],
  ['history', 'exportCsv'],
] as const

/** Downloads of the account, the history, and the subscriptions of each device and of all devices. */
export function ExportLists() {
  const { error, reload } = useQuery(ensureSubscriptions)
  const isKnown = devices.value !== undefined && subscribedDevices.value !== undefined
  return (
    <TitledSection title={t('transfer.export')}>
      <ul class="framed">
        {WHOLE.map(([name, operation]) => (
          <li class="setting-row" key={name}>
            <div>
              <h3>{t(`transfer.exports.${name}`)}</h3>
              <p class="muted small">{t(`transfer.exports.${name}Lead`)}</p>
            </div>
            <ButtonLink href={requestUrl(ADDRESSES[operation][1])} download="">
              {t('transfer.download')}
            </ButtonLink>
          </li>
        ))}
      </ul>
      <p class="muted">{t('transfer.exportLead')}</p>
      {Boolean(error.value) && !isKnown && <Failure error={error.value} onRetry={() => void reload()} />}
      {!isKnown && !error.value && <Skeleton height="3.75rem" count={3} />}
      {isKnown && (
        <ul class="framed">
          <li class="setting-row">
            <ListName count={subscribed()}>{t('transfer.together')}</ListName>
            <Files list={t('transfer.together')} name="podcasts" />
          </li>
          {ownPodcastDevices.value?.map((device) => (
            <li class="setting-row" key={device.id}>
              <ListName count={device.subscriptions}>
                <DeviceName device={device} />
              </ListName>
              <Files list={device.caption} name={device.id} device={device.id} />
            </li>
          ))}
        </ul>
      )}
    </TitledSection>
  )
}

function ListName({ count, children }: { count: number; children: ComponentChildren }) {
  return (
    <div>
      <h3>{children}</h3>
      <p class="muted small">{t('common.podcasts', { n: count })}</p>
    </div>
  )
}

function subscribed(): number {
  return [...(subscribedDevices.value?.values() ?? [])].filter(({ size }) => size > 0).length
}

interface FilesProps {
  /** Name of the list on the page. */
  readonly list: string
  /** File name. */
  readonly name: string
  /** Device ID; undefined for all devices. */
  readonly device?: string
}

function Files({ list, name, device }: FilesProps) {
  return (
    <ul class="row">
      {(['opml', 'txt'] as const).map((format) => {
        const label = format === 'opml' ? t('transfer.opml') : t('transfer.text')
        return (
          <li key={format}>
            <ButtonLink href={fileAddress(format, device)} download={`podstep-${name}.${format}`}>
              <span aria-hidden="true">{label}</span>
              <span class="hidden-text">{t('transfer.of', { format: label, list })}</span>
            </ButtonLink>
          </li>
        )
      })}
    </ul>
  )
}

function fileAddress(format: 'opml' | 'txt', device: string | undefined): string {
  const username = ownName()
  return device === undefined
    ? requestUrl(ADDRESSES.listUserSubscriptions[1], { username, format })
    : requestUrl(ADDRESSES.listDeviceSubscriptions[1], { username, deviceid: device, format })
}

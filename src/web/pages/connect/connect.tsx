import { type Signal, useSignal } from '@preact/signals'
import { type Answer, call } from '../../api/client.ts'
import { ErrorNotice, errorMessage, Notice } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { ButtonChoice, Select } from '../../components/forms/choice.tsx'
import { CopyField } from '../../components/forms/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { Page } from '../../components/layout/page.tsx'
import { QrCode } from '../../components/qr-code.tsx'
import { SyncBanner } from '../../components/sync-banner.tsx'
import { isNarrow } from '../../hooks/narrow.ts'
import { setter } from '../../hooks/setters.ts'
import { useHints } from '../../hooks/use-hints.ts'
import { useMutation, useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { account, loadServer, server } from '../../store/session.ts'
import { loadDevices, loadSubscribedDevices } from '../../store/subscriptions.ts'
import { activeSince, addressesForApps, type DeviceActivity, stepParts } from './connection.ts'

const APPS = [
  'antennapod',
  'nextcloud',
  'podcini',
  'iphone',
  'gpodder',
  'kasts',
  'clementine',
  'cardo',
  'pinepods',
  'music',
  'kodi',
  'other',
] as const

type App = (typeof APPS)[number]

/** Instructions for connecting an app, and the status of the connection. */
export default function Connect() {
  // Optional: the page also works without this information.
  useQuery(loadServer)
  const addresses = addressesForApps(document.baseURI, server.value)
  const chosen = useSignal('')
  const address = addresses.find((each) => each === chosen.value) ?? addresses[0]
  const app = useSignal<App>('antennapod')
  return (
    <Page title={t('connect.title')} lead={t('connect.lead')}>
      <div class="connect stack">
        <section class="card" aria-labelledby="app">
          <AppSteps app={app} address={address} />
        </section>
        <section class="card stack connect-details" aria-labelledby="asked">
          <h2 id="asked">{t('connect.asked')}</h2>
          <dl class="connect-asked stack">
            <div>
              <dt class="muted small">{t('connect.address')}</dt>
              <dd class="stack-small">
                <Addresses addresses={addresses} address={address} onChoose={setter(chosen)} />
              </dd>
            </div>
            <div>
              <dt class="muted small">{t('connect.username')}</dt>
              <dd>
                <CopyField text={account.value?.username ?? ''} label={t('connect.username')} />
              </dd>
            </div>
            <div>
              <dt class="muted small">{t('connect.password')}</dt>
              <dd class="stack-small">
                <Password key={app.value} app={app.value} />
              </dd>
            </div>
          </dl>
        </section>
        <div class="stack">
          <ConnectionStatus />
          <SyncBanner />
        </div>
      </div>
    </Page>
  )
}

interface AddressesProps {
  readonly addresses: readonly string[]
  /** The chosen address; undefined if other devices cannot reach the server. */
  readonly address: string | undefined
  readonly onChoose: (address: string) => void
}

/** The address to type into apps, with its QR code. */
function Addresses({ addresses, address, onChoose }: AddressesProps) {
  if (address === undefined)
    return (
      <>
        <CopyField text={document.baseURI.replace(/\/+$/, '')} label={t('connect.address')} />
        <p class="small connect-warn">{t('connect.loopback')}</p>
      </>
    )
  return (
    <>
      <CopyField text={address} label={t('connect.address')} />
      {addresses.length > 1 && (
        <>
          <Select
            label={t('connect.whichAddress')}
            value={address}
            options={addresses.map((value) => ({ value, label: value }))}
            onChoose={onChoose}
          />
          <p class="muted small">{t('connect.lanHint')}</p>
        </>
      )}
      {address.startsWith('http://') && <p class="muted small">{t('connect.plain')}</p>}
      <QrCode text={address} label={t('connect.qr', { address })} hint={t('connect.qrHint')} />
    </>
  )
}

/** Returns the text that explains which passwords apps may use. */
function passwordText(): string {
  const { value } = account
  if (value?.has_second_factor) return t('connect.passwordSecondFactor')
  return value?.has_password ? t('connect.passwordText') : t('connect.passwordNone')
}

/** Explains which password to use, with a button that creates an app password, which is shown only once. */
function Password({ app }: { app: App }) {
  const { isBusy, data, error, run } = useMutation<Answer<'createAppPassword'>>()
  const sso = server.value?.sso
  const name = app === 'other' ? t('connect.anApp') : t(`connect.apps.${app}.name`)
  const created = data.value
  // The Nextcloud login flow gives the app its password.
  if (app === 'nextcloud') return <p>{t('connect.passwordNextcloud')}</p>

  function make(): Promise<boolean> {
    return run(() => call('createAppPassword', { body: { name, scope: app === 'kodi' ? 'read' : 'sync' } }))
  }

  return (
    <>
      {!created && <p>{passwordText()}</p>}
      {!created && sso?.enabled && <p>{t('connect.passwordSso', { provider: sso.provider_name ?? '' })}</p>}
      {!created && (
        <div class="row">
          <Button icon="plus" isBusy={isBusy.value} onClick={make}>
            {t('connect.passwordMake', { app: name })}
          </Button>
        </div>
      )}
      <ErrorNotice text={errorMessage(error.value, 'account')} error={error.value} />
      <div class="stack-small" role="status">
        {created && (
          <>
            <CopyField text={created.password} label={t('connect.password')} />
            <p class="muted small">{t('connect.passwordMade', { app: name })}</p>
          </>
        )}
      </div>
      {created && <QrCode text={created.password} label={t('connect.passwordQr')} hint={t('connect.passwordQrHint')} />}
      <p>
        <a href={href('/account')}>{t('connect.toAccount')}</a>
      </p>
    </>
  )
}

interface AppStepsProps {
  readonly app: Signal<App>
  readonly address: string | undefined
}

function AppSteps({ app: chosen, address }: AppStepsProps) {
  const app = chosen.value
  const plain = t(`connect.apps.${app}.plain`)
  const choice = {
    ...{ label: t('connect.which'), value: app, onChoose: setter(chosen) },
    options: APPS.map((value) => ({ value, label: t(`connect.apps.${value}.name`) })),
  }
  return (
    <div class="stack">
      <h2 id="app">{t('connect.which')}</h2>
      {/* On phones, buttons for all apps would push the first step off the screen. */}
      {isNarrow.value ? <Select {...choice} /> : <ButtonChoice class="chips" {...choice} />}
      <div class="stack app-steps" aria-live="polite">
        <h3>
          {t(`connect.apps.${app}.name`)} <span class="muted">· {t(`connect.apps.${app}.runs`)}</span>
        </h3>
        <ol class="steps">
          {t(`connect.apps.${app}.steps`)
            .split('\n')
            .map((step) => (
              <li key={step}>
                <Step step={step} address={address} />
              </li>
            ))}
        </ol>
        {address?.startsWith('http://') && plain !== '' && <Notice>{plain}</Notice>}
      </div>
    </div>
  )
}

function Step({ step, address }: { step: string; address: string | undefined }) {
  return (
    <p>
      {stepParts(step).map(({ kind, text }) => {
        if (kind === 'address')
          return address === undefined ? t('connect.unknown') : <code key="address">{address}</code>
        return kind === 'screen' ? <strong key={text}>{text}</strong> : text
      })}
    </p>
  )
}

type Connected = DeviceActivity & { readonly subscriptions: number }

/** Waits until an app uses one of the user's devices, and shows which. */
function ConnectionStatus() {
  const before = useSignal<readonly DeviceActivity[] | undefined>(undefined)
  const connected = useSignal<Connected | undefined>(undefined)

  const query = useQuery(async (signal) => {
    const list = await loadDevices()
    if (signal.aborted) return
    before.value ??= list
    const [latest] = activeSince(before.value, list)
    // The app may have changed subscriptions, on which the banner depends.
    if (latest && latest.last_contact !== connected.value?.last_contact) await loadSubscribedDevices()
    connected.value = latest ?? connected.value
  })
  // Any activity of an app updates the last-seen time of its device.
  useHints(['devices', 'subscriptions'], query.reload)
  const isOffline = query.error.value !== undefined

  return (
    <div class="row connection" role="status" data-connected={connected.value !== undefined}>
      <span class="connection-light">{connected.value && <Icon name="check" />}</span>
      <div class="connection-text">
        <p class="media-title connection-title">
          {connected.value ? t('connect.connected', { device: connected.value.caption }) : t('connect.waiting')}
        </p>
        <p class="small">{textOf()}</p>
      </div>
      {connected.value && (
        <ButtonLink href={href('/devices')} icon="devices">
          {t('connect.toDevices')}
        </ButtonLink>
      )}
    </div>
  )

  function textOf(): string {
    const count = connected.value?.subscriptions ?? 0
    if (count > 0) return t('common.podcasts', { n: count })
    if (connected.value) return t('connect.connectedText')
    return isOffline ? t('connect.offline') : t('connect.waitingText')
  }
}

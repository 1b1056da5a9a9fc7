import { useSignal } from '@preact/signals'
import { NewAppPassword } from '../../components/app-password.tsx'
import { Notice } from '../../components/feedback/notice.tsx'
import { ButtonLink } from '../../components/forms/button.tsx'
import { ButtonChoice } from '../../components/forms/choice.tsx'
import { CopyField } from '../../components/forms/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { Page } from '../../components/layout/page.tsx'
import { QrCode } from '../../components/qr-code.tsx'
import { SyncBanner } from '../../components/sync-banner.tsx'
import { setter } from '../../hooks/setters.ts'
import { useHints } from '../../hooks/use-hints.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { account, loadServer, server } from '../../store/session.ts'
import { loadDevices, loadHolders } from '../../store/subscriptions.ts'
import { activeSince, type DeviceActivity, type ServerAddress, serverAddress, stepParts } from './connection.ts'

/** How to connect an app to this server, and whether it has connected. */
export default function Connect() {
  // Optional: the page works with what is known without it.
  useQuery(loadServer)
  const address = serverAddress(document.baseURI, server.value?.base_url ?? '')
  return (
    <Page title={t('connect.title')} lead={t('connect.lead')}>
      <div class="connect">
        <section class="card stack connect-server" aria-labelledby="asked">
          <h2 id="asked">{t('connect.asked')}</h2>
          <Credentials address={address} />
          <QrCode
            text={address.address}
            label={t('connect.qr', { address: address.address })}
            hint={t('connect.qrHint')}
          />
        </section>
        <div class="stack">
          <section class="card" aria-labelledby="app">
            <AppSteps server={address} />
          </section>
          <ConnectionStatus />
          <SyncBanner />
          {location.protocol === 'http:' && address.isPlain && (
            <Notice kind="warn">
              <h2 class="connect-plain">{t('connect.plainTitle')}</h2>
              <p>{t('connect.plain')}</p>
            </Notice>
          )}
        </div>
      </div>
    </Page>
  )
}

function Credentials({ address }: { address: ServerAddress }) {
  const sso = server.value?.sso
  return (
    <dl class="connect-asked">
      <div>
        <dt>{t('connect.address')}</dt>
        <dd class="stack-small">
          <CopyField text={address.address} label={t('connect.address')} />
          {address.isLoopback && <p class="small connect-warn">{t('connect.loopback')}</p>}
        </dd>
      </div>
      <div>
        <dt>{t('connect.username')}</dt>
        <dd>
          <strong>{account.value?.username}</strong>
        </dd>
      </div>
      <div>
        <dt>{t('connect.password')}</dt>
        <dd class="stack-small">
          <p>{account.value?.has_password ? t('connect.passwordText') : t('connect.passwordNone')}</p>
          {sso?.enabled && <p>{t('connect.passwordSso', { provider: sso.provider_name ?? '' })}</p>}
          <NewAppPassword />
          <p>
            <a href={href('/account')}>{t('connect.toAccount')}</a>
          </p>
        </dd>
      </div>
    </dl>
  )
}

const APPS = ['antennapod', 'gpodder', 'kasts', 'clementine', 'nextcloud', 'other'] as const

/** Instructions for each app. */
function AppSteps({ server }: { server: ServerAddress }) {
  const chosen = useSignal<(typeof APPS)[number]>('antennapod')
  const app = chosen.value
  return (
    <div class="stack">
      <h2 id="app">{t('connect.which')}</h2>
      <ButtonChoice
        class="row app-choices"
        label={t('connect.which')}
        value={app}
        options={APPS.map((value) => ({ value, label: t(`connect.apps.${value}.name`) }))}
        onChoose={setter(chosen)}
      />
      <div class="stack app-steps" aria-live="polite">
        <h3>
          {t(`connect.apps.${app}.name`)} <span class="muted">· {t(`connect.apps.${app}.runs`)}</span>
        </h3>
        <ol class="steps">
          {t(`connect.apps.${app}.steps`)
            .split('\n')
            .map((step) => (
              <li key={step}>
                <Step step={step} address={server.address} />
              </li>
            ))}
        </ol>
        {server.isPlain && t(`connect.apps.${app}.plain`) !== '' && <Notice>{t(`connect.apps.${app}.plain`)}</Notice>}
      </div>
    </div>
  )
}

function Step({ step, address }: { step: string; address: string }) {
  return (
    <p>
      {stepParts(step).map(({ kind, text }) => {
        if (kind === 'address') return <code key="address">{address}</code>
        return kind === 'screen' ? <strong key={text}>{text}</strong> : text
      })}
    </p>
  )
}

/** Waits until an app uses one of the user's devices, and shows which. */
function ConnectionStatus() {
  const before = useSignal<readonly DeviceActivity[] | undefined>(undefined)
  const connected = useSignal<DeviceActivity | undefined>(undefined)

  const query = useQuery(async (signal) => {
    const list = await loadDevices()
    if (signal.aborted) return
    before.value ??= list
    const [latest] = activeSince(before.value, list)
    // What it has got or brought changes what the banner offers.
    if (latest && latest.last_contact !== connected.value?.last_contact) await loadHolders()
    connected.value = latest ?? connected.value
  })
  // An app that does anything has been seen.
  useHints(['devices'], query.reload)
  const isOffline = query.error.value !== undefined

  return (
    <div class="connection" role="status" data-connected={connected.value !== undefined}>
      <span class="connection-light">{connected.value && <Icon name="check" />}</span>
      <div class="connection-text">
        <p class="connection-title">
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
    if (connected.value) return t('connect.connectedText')
    return isOffline ? t('connect.offline') : t('connect.waitingText')
  }
}

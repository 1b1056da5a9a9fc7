import { Notice } from '../../components/feedback/notice.tsx'
import { CopyField } from '../../components/forms/copy-field.tsx'
import { Page } from '../../components/layout/page.tsx'
import { useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { account, loadServer, server } from '../../store/session.ts'
import { AppSteps } from './app-steps.tsx'
import { type ServerAddress, serverAddress } from './connection.ts'
import { ConnectionStatus } from './connection-status.tsx'
import { QrCode } from './qr-code.tsx'

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
          <QrCode address={address.address} />
        </section>
        <div class="stack">
          <section class="card" aria-labelledby="app">
            <AppSteps server={address} />
          </section>
          <ConnectionStatus />
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
        <dd>
          {t('connect.passwordText')}{' '}
          {sso?.enabled && (
            <>
              {t('connect.passwordSso', { provider: sso.provider_name ?? '' })}{' '}
              <a href={href('/account')}>{t('connect.toAccount')}</a>
            </>
          )}
        </dd>
      </div>
    </dl>
  )
}

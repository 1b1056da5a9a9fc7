import { type Answer, call } from '../../api/client.ts'
import { Failure } from '../../components/feedback/notice.tsx'
import { ButtonLink } from '../../components/forms/button.tsx'
import { AdminOnly } from '../../components/layout/admin-only.tsx'
import { Page } from '../../components/layout/page.tsx'
import { Section } from '../../components/layout/section.tsx'
import { Skeleton } from '../../components/layout/skeleton.tsx'
import { useQuery } from '../../hooks/use-query.ts'
import { bytes, date, duration, number } from '../../locales/format.ts'
import { language, t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { Backups } from './backups.tsx'
import { DirectoryCheck, MailCheck, SsoCheck } from './checks.tsx'
import { Settings } from './settings.tsx'

export default function AdminServer() {
  return (
    <AdminOnly title={t('admin.server.title')}>
      <Server />
    </AdminOnly>
  )
}

/** The state of the server, checks of the services it depends on, and its settings. */
function Server() {
  return (
    <Page
      title={t('admin.server.title')}
      lead={t('admin.server.lead')}
      actions={
        <ButtonLink href={href('/docs')} isServerPage>
          {t('admin.server.docs')}
        </ButtonLink>
      }
    >
      <div class="sections">
        <ServerState />
        <Backups />
        <MailCheck />
        <SsoCheck />
        <DirectoryCheck />
        <Settings />
      </div>
    </Page>
  )
}

const COUNTS = ['users', 'devices', 'subscriptions', 'podcasts', 'episode_actions'] as const

/** How much data the server has, and the state of its machine. */
function ServerState() {
  const { data, error, reload } = useQuery((signal) =>
    Promise.all([call('getStats', { signal }), call('getServerStatus', { signal })]),
  )
  const [stats, status] = data.value ?? []
  return (
    <>
      {Boolean(error.value) && <Failure error={error.value} onRetry={() => void reload()} />}
      {stats ? (
        <section aria-label={t('admin.server.holds')}>
          <dl class="figures">
            {COUNTS.map((count) => (
              <div class="card figure" key={count}>
                <dt>{t(`admin.server.counts.${count}`)}</dt>
                <dd>{number(stats[count])}</dd>
              </div>
            ))}
          </dl>
        </section>
      ) : (
        !error.value && <Skeleton height="6.25rem" />
      )}
      <Section title={t('admin.server.state')} lead={t('admin.server.stateLead')}>
        {status ? <Status status={status} /> : !error.value && <Skeleton height="1.5rem" count={8} />}
      </Section>
    </>
  )
}

function Status({ status }: { status: Answer<'getServerStatus'> }) {
  const size = (count: number) => bytes(count, language.value)
  const { database, disk_free_bytes } = status
  const rows: readonly (readonly [name: string, value: string])[] = [
    [t('admin.server.version'), status.version],
    [
      t('admin.server.uptime'),
      t('admin.server.uptimeSince', {
        span: duration(status.uptime_seconds, language.value),
        date: date(status.started, 'time'),
      }),
    ],
    [t('admin.server.address'), status.base_url === '' ? t('admin.server.addressNone') : status.base_url],
    [
      t('admin.server.database'),
      t('admin.server.databaseSize', { size: size(database.bytes), log: size(database.wal_bytes) }),
    ],
    [t('admin.server.disk'), disk_free_bytes === null ? t('common.unknown') : size(disk_free_bytes)],
    [t('admin.server.memory'), size(status.memory_bytes)],
    [t('admin.server.folder'), status.data_dir],
    [t('admin.server.jobs'), new Intl.ListFormat(language.value, { type: 'unit' }).format(status.jobs)],
  ]
  return (
    <dl class="definition">
      {rows.map(([name, value]) => (
        <div class="definition-row" key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

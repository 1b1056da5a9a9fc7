import { type Answer, call } from '../../api/client.ts'
import { Failure } from '../../components/feedback/notice.tsx'
import { ButtonLink } from '../../components/forms/button.tsx'
import { AdminOnly } from '../../components/layout/admin-only.tsx'
import { Page } from '../../components/layout/page.tsx'
import { Section } from '../../components/layout/section.tsx'
import { Skeleton } from '../../components/layout/skeleton.tsx'
import { useLoad } from '../../hooks/use-query.ts'
import { href } from '../../store/paths.ts'
import { date, fill, language, number, t } from '../../text/index.ts'
import { bytes, duration } from '../../text/measures.ts'
import { Backups } from './backups.tsx'
import { DirectoryCheck, MailCheck, SsoCheck } from './checks.tsx'
import { Settings } from './settings.tsx'

export default function AdminServer() {
  return (
    <AdminOnly title={t().admin.server.title}>
      <Server />
    </AdminOnly>
  )
}

/** How the server is, whether the servers of others do what it wants of them, and how it was set up. */
function Server() {
  const texts = t().admin.server
  return (
    <Page
      title={texts.title}
      lead={texts.lead}
      actions={
        <ButtonLink href={href('/docs')} isServers>
          {texts.docs}
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

/** What the server holds, and how it and its machine are. */
function ServerState() {
  const texts = t().admin.server
  const { data, error, reload } = useLoad((signal) =>
    Promise.all([call('getStats', { signal }), call('getServerStatus', { signal })]),
  )
  const [stats, status] = data.value ?? []
  return (
    <>
      {Boolean(error.value) && <Failure error={error.value} onRetry={() => void reload()} />}
      {stats ? (
        <section aria-label={texts.holds}>
          <dl class="figures">
            {COUNTS.map((count) => (
              <div class="card figure" key={count}>
                <dt>{texts.counts[count]}</dt>
                <dd>{number(stats[count])}</dd>
              </div>
            ))}
          </dl>
        </section>
      ) : (
        !error.value && <Skeleton height="6.25rem" />
      )}
      <Section title={texts.state} lead={texts.stateLead}>
        {status ? <Status status={status} /> : !error.value && <Skeleton height="1.5rem" count={8} />}
      </Section>
    </>
  )
}

function Status({ status }: { status: Answer<'getServerStatus'> }) {
  const texts = t().admin.server
  const size = (count: number) => bytes(count, language.value)
  const { database, disk_free_bytes } = status
  const rows: readonly (readonly [name: string, value: string])[] = [
    [texts.version, status.version],
    [
      texts.uptime,
      fill(texts.uptimeSince, {
        span: duration(status.uptime_seconds, language.value),
        date: date(status.started, 'time'),
      }),
    ],
    [texts.address, status.base_url === '' ? texts.addressNone : status.base_url],
    [texts.database, fill(texts.databaseSize, { size: size(database.bytes), log: size(database.wal_bytes) })],
    [texts.disk, disk_free_bytes === null ? t().common.unknown : size(disk_free_bytes)],
    [texts.memory, size(status.memory_bytes)],
    [texts.folder, status.data_dir],
    [texts.jobs, new Intl.ListFormat(language.value, { type: 'unit' }).format(status.jobs)],
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

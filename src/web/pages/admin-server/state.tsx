import { type Answer, call } from '../../api/client.ts'
import { Failure } from '../../parts/notice.tsx'
import { Section } from '../../parts/section.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useLoad } from '../../state/load.ts'
import { date, fill, language, number, t } from '../../text/index.ts'
import { bytes, duration } from '../../text/measures.ts'

const COUNTS = ['users', 'devices', 'subscriptions', 'podcasts', 'episode_actions'] as const

/** What the server holds, and how it and its machine are. */
export function ServerState() {
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

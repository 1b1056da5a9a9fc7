import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { type Answer, call } from '../../api/client.ts'
import { QueryState } from '../../components/feedback/notice.tsx'
import { ButtonLink } from '../../components/forms/button.tsx'
import { Checkbox } from '../../components/forms/choice.tsx'
import { SearchBox } from '../../components/forms/field.tsx'
import { Fold } from '../../components/layout/fold.tsx'
import { Page, Section, Skeleton } from '../../components/layout/page.tsx'
import { adminPage } from '../../components/layout/unavailable.tsx'
import { setter } from '../../hooks/setters.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { bytes, date, language, longDuration, number, t } from '../../locales/index.ts'
import { loadChecks } from '../../store/account/server-checks.ts'
import { href } from '../../store/paths.ts'
import { Checks } from './checks.tsx'
import { type Fact, Facts } from './facts.tsx'

export default adminPage('admin.server.title', Server)

/** Open tasks of the administrator, followed by the contents, status and settings of the server. */
function Server() {
  const query = useQuery(async (signal) => {
    const [status, stats] = await Promise.all([
      call('getServerStatus', { signal }),
      call('getStats', { signal }),
      loadChecks(signal),
    ])
    return { status, stats }
  })
  const facts = query.data.value
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
        <QueryState query={query} skeleton={<Skeleton height="3.5rem" count={10} />} />
        {facts && (
          <>
            <Checks dataDir={facts.status.data_dir} />
            <Counts stats={facts.stats} />
            <Section title={t('admin.server.state')}>
              <Status status={facts.status} />
            </Section>
          </>
        )}
        {(facts || query.error.value !== undefined) && <Settings />}
      </div>
    </Page>
  )
}

const COUNTS = ['users', 'devices', 'subscriptions', 'podcasts', 'episode_actions'] as const

/** Numbers of users, devices and so on. */
function Counts({ stats }: { stats: Answer<'getStats'> }) {
  return (
    <section aria-label={t('admin.server.holds')}>
      <dl class="figures">
        {COUNTS.map((count) => (
          <div class="card figure" key={count}>
            <dt class="muted small">{t(`admin.server.counts.${count}`)}</dt>
            <dd>{number(stats[count])}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function Status({ status }: { status: Answer<'getServerStatus'> }) {
  const size = (count: number) => bytes(count, language.value)
  const { database, disk_free_bytes, outbound } = status
  const engine = database.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'
  const rows: readonly Fact[] = [
    [t('admin.server.version'), status.version],
    [
      t('admin.server.uptime'),
      t('admin.server.uptimeSince', {
        span: longDuration(status.uptime_seconds, language.value),
        date: date(status.started, 'time'),
      }),
    ],
    [t('admin.server.address'), status.base_url === '' ? t('admin.server.addressNone') : status.base_url],
    [t('admin.server.outbound'), outbound ? t('admin.server.on') : t('admin.server.off')],
    [t('admin.server.database'), `${engine}, ${size(database.bytes + database.wal_bytes)}`],
    [t('admin.server.disk'), disk_free_bytes === null ? t('common.unknown') : size(disk_free_bytes)],
    [t('admin.server.memory'), size(status.memory_bytes)],
    [t('admin.server.folder'), status.data_dir],
  ]
  return <Facts rows={rows} />
}

type Setting = Answer<'listServerSettings'>[number]

/** The settings in effect, with the source of each. */
function Settings() {
  const query = useQuery((signal) => call('listServerSettings', { signal }))
  const filter = useSignal('')
  const onlySet = useSignal(true)
  const text = filter.value.trim().toLowerCase()
  const shown = (query.data.value ?? []).filter(
    ({ key, description, origin }) =>
      (!onlySet.value || origin !== 'default') && `${key} ${description.toLowerCase()}`.includes(text),
  )
  return (
    <Section title={t('admin.server.settings.title')} lead={t('admin.server.settings.lead')}>
      <QueryState query={query} skeleton={<Skeleton height="2rem" />} />
      {query.data.value && (
        <Fold title={t('admin.server.settings.show')}>
          <SearchBox label={t('admin.server.settings.filter')} value={filter} />
          <Checkbox label={t('admin.server.settings.onlySet')} checked={onlySet.value} onChange={setter(onlySet)} />
          <p class={shown.length > 0 ? 'hidden-text' : 'muted'} role="status">
            {shown.length === 0 && t('admin.server.settings.none')}
          </p>
          <ul class="rows">
            {shown.map((setting) => (
              <li key={setting.key} class="setting-row setting">
                <SettingItem setting={setting} />
              </li>
            ))}
          </ul>
        </Fold>
      )}
    </Section>
  )
}

function SettingItem({ setting: { key, value, origin, secret, description } }: { setting: Setting }) {
  return (
    <>
      <div>
        <h3>
          <code>{key}</code>
        </h3>
        <p class="muted small" lang="en">
          {withCode(description)}
        </p>
      </div>
      <div class="row">
        {value === '' && <span class="muted">{t('admin.server.settings.empty')}</span>}
        {value !== '' && (secret ? <span>{t('admin.server.settings.secretSet')}</span> : <code>{value}</code>)}
        <span class={origin === 'default' ? 'chip' : 'chip chip-good'}>
          {t(`admin.server.settings.origins.${origin}`)}
        </span>
      </div>
    </>
  )
}

/** Renders text in backticks, such as names of settings, as code. */
function withCode(text: string): ComponentChildren[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))
}

import { useSignal } from '@preact/signals'
import { call } from '../../api/client.ts'
import { EmptyState, QueryState } from '../../components/feedback/notice.tsx'
import { SelectField } from '../../components/forms/choice.tsx'
import { Page, Skeleton, TitledSection } from '../../components/layout/page.tsx'
import { Pager } from '../../components/layout/pager.tsx'
import { adminPage } from '../../components/layout/unavailable.tsx'
import { initialsOf } from '../../components/podcast/artwork.tsx'
import { setter } from '../../hooks/setters.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { clockTime, dayName } from '../../locales/calendar.ts'
import { date, t } from '../../locales/index.ts'
import { actorOf, byDay, KINDS, type Kind, type LogEntry, namesIn, sentence } from './log.ts'

export default adminPage('admin.log.title', Log)

const PER_PAGE = 50
const KIND_NAMES = ['users', 'invitations', 'roles', 'passwords', 'server'] as const satisfies readonly Kind[]

/** The audit log. */
function Log() {
  const kind = useSignal<Kind | 'all'>('all')
  const user = useSignal('')
  const page = useSignal(0)
  const users = useQuery((signal) => call('listUsers', { signal }))
  const query = useQuery(
    (signal) =>
      call('getAuditLog', {
        query: {
          ...(kind.value !== 'all' && { action: KINDS[kind.value].join(',') }),
          ...(user.value !== '' && { user: user.value }),
          page: page.value,
          per_page: PER_PAGE,
        },
        signal,
      }),
    [kind.value, user.value, page.value],
  )
  const list = query.data.value
  const names = namesIn(users.data.value?.map(({ username }) => username) ?? [], list?.entries ?? [])
  const isFiltered = kind.value !== 'all' || user.value !== ''
  return (
    <Page title={t('admin.log.title')} lead={t('admin.log.lead')}>
      <div class="stack">
        <div class="log-tools">
          <SelectField
            label={t('admin.log.kind')}
            value={kind.value}
            options={(['all', ...KIND_NAMES] as const).map((value) => ({
              value,
              label: t(`admin.log.kinds.${value}`),
            }))}
            onChoose={(chosen) => {
              kind.value = chosen
              page.value = 0
            }}
          />
          <SelectField
            label={t('admin.log.user')}
            value={user.value}
            options={[
              { value: '', label: t('admin.log.everybody') },
              ...names.map((value) => ({ value, label: value })),
            ]}
            onChoose={(chosen) => {
              user.value = chosen
              page.value = 0
            }}
          />
        </div>
        <QueryState query={query} skeleton={<Skeleton height="3rem" count={8} />} />
        {list && (
          <>
            <div role="status">
              {list.total > 0 ? (
                <p class="muted">{t('admin.log.found', { n: list.total })}</p>
              ) : (
                <EmptyState text={emptyText(isFiltered)} />
              )}
            </div>
            {byDay(list.entries, (at) => dayName(secondsOf(at))).map(({ day, entries }) => (
              <TitledSection key={day} title={day} class="timeline-day stack-small">
                <ol class="framed">
                  {entries.map((entry) => (
                    <EntryItem key={entry.id} entry={entry} />
                  ))}
                </ol>
              </TitledSection>
            ))}
            <Pager page={list.page} count={list.total_pages} onTurn={setter(page)} />
          </>
        )}
      </div>
    </Page>
  )
}

function EntryItem({ entry }: { entry: LogEntry }) {
  return (
    <li class="timeline-item log-entry">
      <span class="avatar" data-initials={initialsOf(actorOf(entry))} />
      <p>{sentence(entry)}</p>
      <time class="small muted" dateTime={`${entry.at}Z`} title={date(entry.at, 'time')}>
        {clockTime(secondsOf(entry.at))}
      </time>
    </li>
  )
}

/** Converts a timestamp of the server to Unix seconds. */
function secondsOf(at: string): number {
  return Date.parse(`${at}Z`) / 1000
}

function emptyText(isFiltered: boolean): string {
  return isFiltered ? t('admin.log.noMatch') : t('admin.log.none')
}

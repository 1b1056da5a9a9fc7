import { useEffect } from 'preact/hooks'
import { type Answer, ApiError, call } from '../../api/client.ts'
import { errorMessage, QueryState } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { Section, Skeleton } from '../../components/layout/page.tsx'
import { useMutation, useQuery } from '../../hooks/use-query.ts'
import { ago, bytes, date, language, t, until } from '../../locales/index.ts'
import { Outcome, StateLine } from './checks.tsx'
import { type Fact, Facts } from './facts.tsx'

/** Milliseconds between two looks at a backup that is being made. */
const LOOK_EVERY = 2000

/** When backups are made and where they are, the result of the last one, and a button to make one. */
export function Backups({ dataDir }: { dataDir: string | undefined }) {
  const query = useQuery((signal) => call('listBackups', { signal }))
  const { data: made, isBusy, error, run } = useMutation<Answer<'makeBackup'>>()
  const state = query.data.value
  const isRunning = isBusy.value || state?.running === true

  // One that the schedule has begun, or that takes longer than the answer to the request.
  useEffect(() => {
    if (!state?.running || isBusy.value) return undefined
    const timer = setTimeout(query.reload, LOOK_EVERY)
    return () => clearTimeout(timer)
  }, [state, isBusy.value])

  async function make(): Promise<void> {
    await run(() => call('makeBackup'))
    await query.reload()
  }

  return (
    <Section title={t('admin.server.backups.title')} lead={t('admin.server.backups.lead')}>
      <QueryState query={query} skeleton={<Skeleton height="8rem" />} />
      {state && !state.enabled && <StateLine isOn={false} text={t('admin.server.backups.off')} />}
      {state?.enabled && <BackupFacts state={state} dataDir={dataDir} />}
      {state?.overdue && !isRunning && <Outcome isGood={false}>{t('admin.server.backups.overdue')}</Outcome>}
      {state?.last && !state.last.ok && !isRunning && <LastFailure last={state.last} />}
      {isRunning && <progress class="progress" aria-label={t('admin.server.backups.making')} />}
      {state?.enabled && (
        <div class="row">
          <Button isBusy={isRunning} onClick={make}>
            {isRunning ? t('admin.server.backups.making') : t('admin.server.backups.now')}
          </Button>
        </div>
      )}
      <div class="outcome" role="status">
        {made.value?.backup && (
          <Outcome isGood>{t('admin.server.backups.made', { file: made.value.backup.file })}</Outcome>
        )}
        {made.value && !made.value.backup && isRunning && <Outcome isGood>{t('admin.server.backups.running')}</Outcome>}
        {/* Why the backup failed is told above. */}
        {error.value !== undefined && !isBackupFailure(error.value) && (
          <Outcome isGood={false}>{errorMessage(error.value)}</Outcome>
        )}
      </div>
      {state && state.backups.length > 0 && <BackupList backups={state.backups} />}
    </Section>
  )
}

type State = Answer<'listBackups'>

function BackupFacts({ state, dataDir }: { state: State; dataDir: string | undefined }) {
  const [newest] = state.backups
  const rows: readonly Fact[] = [
    [
      t('admin.server.backups.last'),
      newest
        ? t('admin.server.backups.lastValue', { ago: ago(newest.at), size: bytes(newest.bytes, language.value) })
        : t('admin.server.backups.none'),
    ],
    [
      t('admin.server.backups.next'),
      state.next === '' ? t('admin.server.backups.never') : `${date(state.next, 'time')} (${until(state.next)})`,
    ],
    [
      t('admin.server.backups.kept'),
      t('admin.server.backups.keptValue', { n: state.backups.length, keep: state.keep }),
    ],
    ...(dataDir === undefined ? [] : [[t('admin.server.backups.folder'), `${dataDir}/backups`] as const]),
  ]
  return <Facts rows={rows} />
}

function LastFailure({ last }: { last: NonNullable<State['last']> }) {
  return (
    <Outcome isGood={false} cause={last.cause}>
      {t('admin.server.backups.failedAgo', { ago: ago(last.at) })}{' '}
      {last.trouble !== '' && t(`admin.server.backups.troubles.${last.trouble}`)}
    </Outcome>
  )
}

function BackupList({ backups }: Pick<State, 'backups'>) {
  return (
    <details>
      <summary>{t('admin.server.backups.list')}</summary>
      <ul class="rows backup-list">
        {backups.map(({ file, at, bytes: size }) => (
          <li class="row-apart" key={file}>
            <code>{file}</code>
            <span class="muted small">
              {date(at, 'time')} · {bytes(size, language.value)}
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}

function isBackupFailure(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'backup_failed'
}

import { useEffect } from 'preact/hooks'
import { type Answer, ApiError, call } from '../../api/client.ts'
import { errorMessage, QueryState } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { Skeleton } from '../../components/layout/page.tsx'
import { useMutation, useQuery } from '../../hooks/use-query.ts'
import { ago, bytes, date, language, t, until } from '../../locales/index.ts'
import { type Fact, Facts } from './facts.tsx'
import { Outcome } from './tests.tsx'

/** Milliseconds between polls of a running backup. */
const LOOK_EVERY = 2000

interface BackupsProps {
  readonly dataDir: string
  /** Reloads the entry for backups in the list of checks. */
  readonly onChange: () => Promise<unknown>
}

/** A button to make a backup, the error of the last one, the schedule, and the existing backups. */
export function Backups({ dataDir, onChange }: BackupsProps) {
  const query = useQuery((signal) => call('listBackups', { signal }))
  const { data: made, isBusy, error, run } = useMutation<Answer<'makeBackup'>>()
  const state = query.data.value
  const isRunning = isBusy.value || state?.running === true

  async function look(): Promise<void> {
    await Promise.all([query.reload(), onChange()])
  }

  // The schedule started the backup, or it takes longer than the request that did.
  useEffect(() => {
    if (!state?.running || isBusy.value) return undefined
    const timer = setTimeout(() => void look().catch(() => undefined), LOOK_EVERY)
    return () => clearTimeout(timer)
  }, [state, isBusy.value])

  async function make(): Promise<void> {
    await run(() => call('makeBackup'))
    await look()
  }

  return (
    <>
      <QueryState query={query} skeleton={<Skeleton height="2.75rem" />} />
      {state?.last && !state.last.ok && state.last.trouble !== '' && !isRunning && (
        <p>{t(`admin.server.backups.troubles.${state.last.trouble}`)}</p>
      )}
      {isRunning && <progress class="progress" aria-label={t('admin.server.backups.making')} />}
      {state && (
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
        {/* The reason for the failure is shown above. */}
        {error.value !== undefined && !isBackupFailure(error.value) && (
          <Outcome isGood={false}>{errorMessage(error.value)}</Outcome>
        )}
      </div>
      {state && (
        <details>
          <summary>{t('admin.server.backups.list')}</summary>
          <BackupFacts state={state} dataDir={dataDir} />
          {state.backups.length > 0 && <BackupList backups={state.backups} />}
        </details>
      )}
    </>
  )
}

type State = Answer<'listBackups'>

function BackupFacts({ state, dataDir }: { state: State; dataDir: string }) {
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
    [t('admin.server.backups.folder'), `${dataDir}/backups`],
  ]
  return <Facts rows={rows} />
}

function BackupList({ backups }: Pick<State, 'backups'>) {
  return (
    <ul class="rows">
      {backups.map(({ file, at, bytes: size }) => (
        <li class="row-apart" key={file}>
          <code>{file}</code>
          <span class="muted small">
            {date(at, 'time')} · {bytes(size, language.value)}
          </span>
        </li>
      ))}
    </ul>
  )
}

function isBackupFailure(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'backup_failed'
}

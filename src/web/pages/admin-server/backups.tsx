import { useSignal } from '@preact/signals'
import { type Answer, ApiError, call } from '../../api/client.ts'
import { errorMessage } from '../../components/feedback/error-message.ts'
import { Failure } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { Section } from '../../components/layout/section.tsx'
import { Skeleton } from '../../components/layout/skeleton.tsx'
import { useMutation } from '../../hooks/use-mutation.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { ago, bytes } from '../../locales/format.ts'
import { language, t } from '../../locales/index.ts'
import { OnOff, Outcome } from './checks.tsx'

/** Existing backups, the result of the last one, and a button to make one. */
export function Backups() {
  const { data, error, reload } = useQuery((signal) => call('listBackups', { signal }))
  const made = useSignal<Answer<'makeBackup'> | undefined>(undefined)
  const mutation = useMutation()
  const state = data.value

  async function make(): Promise<void> {
    made.value = undefined
    await mutation.run(async () => {
      made.value = await call('makeBackup')
    })
    await reload()
  }

  return (
    <Section title={t('admin.server.backups.title')} lead={t('admin.server.backups.lead')}>
      {Boolean(error.value) && <Failure error={error.value} onRetry={() => void reload()} />}
      {!state && !error.value && <Skeleton height="4rem" />}
      {state && (
        <>
          <div class="check-state">
            <OnOff isOn={state.enabled} />
            <span class="muted">{state.enabled ? newestOf(state) : t('admin.server.backups.off')}</span>
          </div>
          {state.last && !state.last.ok && mutation.error.value === undefined && (
            <Outcome isGood={false} cause={state.last.cause}>
              {t('admin.server.backups.failedAgo', { ago: ago(state.last.at) })}
            </Outcome>
          )}
          {state.enabled && (
            <div class="row">
              <Button isBusy={mutation.isBusy.value} onClick={make}>
                {t('admin.server.backups.now')}
              </Button>
            </div>
          )}
        </>
      )}
      <div class="outcome" role="status">
        {made.value && (
          <Outcome isGood>
            {made.value.backup
              ? t('admin.server.backups.made', { file: made.value.backup.file })
              : t('admin.server.backups.running')}
          </Outcome>
        )}
        {mutation.error.value !== undefined && <BackupError error={mutation.error.value} />}
      </div>
    </Section>
  )
}

function BackupError({ error }: { error: unknown }) {
  const isFailure = error instanceof ApiError && error.code === 'backup_failed'
  return (
    <Outcome isGood={false} cause={isFailure ? error.message : ''}>
      {errorMessage(error)}
    </Outcome>
  )
}

function newestOf({ backups }: Answer<'listBackups'>): string {
  const [last] = backups
  if (!last) return t('admin.server.backups.none')
  const size = bytes(last.bytes, language.value)
  return `${t('admin.server.backups.newest', { ago: ago(last.at), size })} ${t('admin.server.backups.kept', { n: backups.length })}`
}

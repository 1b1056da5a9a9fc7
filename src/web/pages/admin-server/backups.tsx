import { useSignal } from '@preact/signals'
import { type Answer, ApiError, call } from '../../api/client.ts'
import { errorText, Failure } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { Section } from '../../components/layout/section.tsx'
import { Skeleton } from '../../components/layout/skeleton.tsx'
import { useSending } from '../../hooks/use-mutation.ts'
import { useLoad } from '../../hooks/use-query.ts'
import { ago, fill, language, plural, t } from '../../text/index.ts'
import { bytes } from '../../text/measures.ts'
import { OnOff, Outcome } from './checks.tsx'

/** The copies of the database that the server makes, how the last one went, and making one now. */
export function Backups() {
  const texts = t().admin.server.backups
  const { data, error, reload } = useLoad((signal) => call('listBackups', { signal }))
  const made = useSignal<Answer<'makeBackup'> | undefined>(undefined)
  const sending = useSending()
  const state = data.value

  async function make(): Promise<void> {
    made.value = undefined
    await sending.run(async () => {
      made.value = await call('makeBackup')
    })
    await reload()
  }

  return (
    <Section title={texts.title} lead={texts.lead}>
      {Boolean(error.value) && <Failure error={error.value} onRetry={() => void reload()} />}
      {!state && !error.value && <Skeleton height="4rem" />}
      {state && (
        <>
          <div class="check-state">
            <OnOff isOn={state.enabled} />
            <span class="muted">{state.enabled ? newestOf(state) : texts.off}</span>
          </div>
          {state.last && !state.last.ok && sending.error.value === undefined && (
            <Outcome isGood={false} cause={state.last.cause}>
              {fill(texts.failedAgo, { ago: ago(state.last.at) })}
            </Outcome>
          )}
          {state.enabled && (
            <div class="row">
              <Button isBusy={sending.isBusy.value} onClick={make}>
                {texts.now}
              </Button>
            </div>
          )}
        </>
      )}
      <div class="outcome" role="status">
        {made.value && (
          <Outcome isGood>
            {made.value.backup ? fill(texts.made, { file: made.value.backup.file }) : texts.running}
          </Outcome>
        )}
        {sending.error.value !== undefined && <Refusal error={sending.error.value} />}
      </div>
    </Section>
  )
}

function Refusal({ error }: { error: unknown }) {
  const isFailure = error instanceof ApiError && error.word === 'backup_failed'
  return (
    <Outcome isGood={false} cause={isFailure ? error.message : ''}>
      {errorText(error)}
    </Outcome>
  )
}

function newestOf({ backups }: Answer<'listBackups'>): string {
  const { newest, none, kept } = t().admin.server.backups
  const [last] = backups
  if (!last) return none
  const size = bytes(last.bytes, language.value)
  return `${fill(newest, { ago: ago(last.at), size })} ${plural(kept, backups.length, language.value)}`
}

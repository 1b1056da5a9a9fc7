import { useSignal } from '@preact/signals'
import { type Answer, ApiError, call } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { TextField } from '../../parts/field.tsx'
import { Failure } from '../../parts/notice.tsx'
import { refusalText } from '../../parts/refusal.ts'
import { Section } from '../../parts/section.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useLoad } from '../../state/load.ts'
import { useSending } from '../../state/sending.ts'
import { account } from '../../state/session.ts'
import { ago, fill, language, plural, t } from '../../text/index.ts'
import { OnOff, Outcome } from './outcome.tsx'

/** Whether mail goes out, and sending one to see. */
export function MailCheck() {
  const texts = t().admin.server.mail
  const { data, error, reload } = useLoad((signal) => call('getMailState', { signal }))
  const state = data.value
  return (
    <Section title={texts.title} lead={texts.lead}>
      {Boolean(error.value) && <Failure error={error.value} onRetry={() => void reload()} />}
      {!state && !error.value && <Skeleton height="4rem" />}
      {state && (
        <>
          <div class="check-state">
            <OnOff isOn={state.enabled} />
            <span class="muted">{state.enabled ? lastSent(state) : texts.off}</span>
          </div>
          {state.last_failure && (
            <Outcome isGood={false} cause={state.last_failure.cause}>
              {fill(texts.failed, { ago: ago(state.last_failure.at) })}
            </Outcome>
          )}
          {state.waiting > 0 && <p>{plural(texts.waiting, state.waiting, language.value)}</p>}
          {state.enabled && <TestMail onSent={reload} />}
        </>
      )}
    </Section>
  )
}

function TestMail({ onSent }: { onSent: () => Promise<void> }) {
  const { mail: texts } = t().admin.server
  const email = useSignal(account.value?.email ?? '')
  const sentTo = useSignal<string | undefined>(undefined)
  const { isBusy, error, run } = useSending()

  async function send(event: Event): Promise<void> {
    event.preventDefault()
    const address = email.value.trim()
    sentTo.value = undefined
    if (!(await run(() => call('sendTestMail', { body: { email: address } })))) return
    sentTo.value = address
    await onSent()
  }

  return (
    <form class="stack" onSubmit={(event) => void send(event)}>
      <TextField
        label={texts.to}
        type="email"
        required
        value={email.value}
        onInput={(value) => {
          email.value = value
        }}
      />
      <div class="row">
        <Button type="submit" isBusy={isBusy.value}>
          {texts.send}
        </Button>
      </div>
      <div class="outcome" role="status">
        {sentTo.value !== undefined && <Outcome isGood>{fill(texts.sent, { email: sentTo.value })}</Outcome>}
        {error.value !== undefined && <Outcome isGood={false}>{refusal(error.value)}</Outcome>}
      </div>
    </form>
  )
}

function lastSent({ last_sent }: Answer<'getMailState'>): string {
  const { last, lastNone } = t().admin.server.mail
  return last_sent === '' ? lastNone : fill(last, { ago: ago(last_sent) })
}

function refusal(error: unknown): string {
  const { mailFailed, refusals } = t().admin.server.mail
  if (error instanceof ApiError && error.word === 'mail_failed') return fill(mailFailed, { cause: error.message })
  return refusalText(error, refusals)
}

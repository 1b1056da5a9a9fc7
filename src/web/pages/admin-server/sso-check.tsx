import { useSignal } from '@preact/signals'
import { type Answer, call } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { Failure } from '../../parts/notice.tsx'
import { Section } from '../../parts/section.tsx'
import { useSending } from '../../state/sending.ts'
import { server } from '../../state/server.ts'
import { fill, t } from '../../text/index.ts'
import { OnOff, Outcome } from './outcome.tsx'

/** Whether the provider does what signing in needs of it. */
export function SsoCheck() {
  const { sso: texts, test } = t().admin.server
  const result = useSignal<Answer<'testSingleSignOn'> | undefined>(undefined)
  const { isBusy, error, run } = useSending()
  const sso = server.value?.sso
  const isOn = sso?.enabled === true

  async function check(): Promise<void> {
    result.value = undefined
    await run(async () => {
      result.value = await call('testSingleSignOn')
    })
  }

  return (
    <Section title={texts.title} lead={texts.lead}>
      <div class="check-state">
        <OnOff isOn={isOn} />
        <span class="muted">{isOn ? fill(texts.provider, { provider: sso.provider_name ?? '' }) : texts.off}</span>
      </div>
      {isOn && (
        <div class="row">
          <Button isBusy={isBusy.value} onClick={check}>
            {test}
            <span class="hidden-text">: {texts.title}</span>
          </Button>
        </div>
      )}
      <div class="outcome" role="status">
        {result.value && (
          <Outcome isGood={result.value.ok} cause={result.value.cause}>
            {result.value.ok ? texts.ok : texts.bad}
          </Outcome>
        )}
      </div>
      {error.value !== undefined && <Failure error={error.value} />}
    </Section>
  )
}

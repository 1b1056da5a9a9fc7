import { useSignal } from '@preact/signals'
import { type Answer, call } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { Failure } from '../../parts/notice.tsx'
import { Section } from '../../parts/section.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useLoad } from '../../state/load.ts'
import { useSending } from '../../state/sending.ts'
import { ago, fill, t } from '../../text/index.ts'
import { OnOff, Outcome } from './outcome.tsx'

/** Why a list from outside may be empty. */
const CAUSES = ['credentials', 'network', 'answer', 'no_matches'] as const

/** Which of the four known causes makes lists from outside empty, if one does. */
export function DirectoryCheck() {
  const { directory: texts, test } = t().admin.server
  const { data, error, reload } = useLoad((signal) => call('getDirectoryState', { signal }))
  const result = useSignal<Answer<'testDirectory'> | undefined>(undefined)
  const sending = useSending()
  const state = data.value
  const trouble = result.value ? result.value.trouble : (state?.last_failure?.trouble ?? '')

  async function check(): Promise<void> {
    result.value = undefined
    await sending.run(async () => {
      result.value = await call('testDirectory')
    })
    await reload()
  }

  return (
    <Section title={texts.title} lead={texts.lead}>
      {Boolean(error.value) && <Failure error={error.value} onRetry={() => void reload()} />}
      {!state && !error.value && <Skeleton height="6rem" />}
      {state && (
        <>
          <div class="check-state">
            <OnOff isOn={state.enabled} />
            <span class="muted">{state.enabled ? knownOf(state) : texts.off}</span>
          </div>
          {state.enabled && (
            <>
              <div class="stack-small">
                <h3>{texts.causes}</h3>
                <ul class="row causes">
                  {CAUSES.map((cause) => (
                    <li key={cause} class={cause === trouble ? 'chip chip-bad' : 'chip'}>
                      {cause === trouble
                        ? fill(t().common.pair, { what: texts.cause[cause], value: texts.thisOne })
                        : texts.cause[cause]}
                    </li>
                  ))}
                </ul>
              </div>
              <div class="row">
                <Button isBusy={sending.isBusy.value} onClick={check}>
                  {test}
                  <span class="hidden-text">: {texts.title}</span>
                </Button>
              </div>
            </>
          )}
        </>
      )}
      <div class="outcome" role="status">
        {result.value && <Result result={result.value} />}
      </div>
      {sending.error.value !== undefined && <Failure error={sending.error.value} />}
    </Section>
  )
}

function Result({ result: { state, trouble, cause } }: { result: Answer<'testDirectory'> }) {
  const texts = t().admin.server.directory
  if (state === 'off') return <Outcome isGood={false}>{texts.off}</Outcome>
  return (
    <Outcome isGood={trouble === ''} cause={cause}>
      {trouble === '' ? texts.ok : texts.troubles[trouble]}
    </Outcome>
  )
}

function knownOf({ last_answer }: Answer<'getDirectoryState'>): string {
  const { set, answered } = t().admin.server.directory
  return last_answer === '' ? set : fill(answered, { ago: ago(last_answer) })
}

import { signal, useSignal } from '@preact/signals'
import { type Answer, call } from '../../api/client.ts'
import { errorText, Failure } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { Icon, type IconName } from '../../components/icon.tsx'
import { Section } from '../../components/layout/section.tsx'
import { Skeleton } from '../../components/layout/skeleton.tsx'
import { useLoad } from '../../hooks/use-query.ts'
import { toast } from '../../store/toasts.ts'
import { ago, date, fill, t } from '../../text/index.ts'

type Session = Answer<'listSessions'>[number]

/** Counts what ends sessions elsewhere on the page, so that the list follows. */
export const sessionChanges = signal(0)

/** Where somebody is signed in, and how to end it. */
export function Sessions() {
  const texts = t().account.sessions
  const { data, error, reload } = useLoad((abort) => call('listSessions', { signal: abort }), [sessionChanges.value])
  const ending = useSignal<number | 'others' | undefined>(undefined)
  const list = data.value

  async function end(what: number | 'others', work: () => Promise<unknown>, told: string): Promise<void> {
    ending.value = what
    try {
      await work()
      await reload()
      toast(told)
    } catch (reason) {
      toast(errorText(reason), { kind: 'error' })
    }
    ending.value = undefined
  }

  return (
    <Section title={texts.title} lead={texts.lead}>
      {Boolean(error.value) && <Failure error={error.value} onRetry={() => void reload()} />}
      {!list && !error.value && <Skeleton height="3.5rem" count={2} />}
      {list && (
        <ul class="rows">
          {list.map((session) => (
            <li key={session.id} class="session">
              <SessionItem
                session={session}
                isBusy={ending.value === session.id}
                onEnd={() =>
                  void end(
                    session.id,
                    () => call('endSession', { path: { id: session.id } }),
                    fill(texts.ended, { client: session.client || texts.unknown }),
                  )
                }
              />
            </li>
          ))}
        </ul>
      )}
      {list && list.length > 1 && (
        <div class="row">
          <Button
            isBusy={ending.value === 'others'}
            onClick={() => end('others', () => call('endOtherSessions'), texts.endedOthers)}
          >
            {texts.endOthers}
          </Button>
        </div>
      )}
      {list?.length === 1 && <p class="muted small">{texts.onlyHere}</p>}
    </Section>
  )
}

function SessionItem({ session, isBusy, onEnd }: { session: Session; isBusy: boolean; onEnd: () => void }) {
  const texts = t().account.sessions
  const { client, current, created, last_used } = session
  return (
    <>
      <Icon name={iconOf(client)} />
      <div>
        <h3 class="row session-name">
          <bdi>{client === '' ? texts.unknown : client}</bdi>
          {current && <span class="chip chip-good">{texts.current}</span>}
        </h3>
        <p class="muted small">
          {fill(texts.used, { ago: ago(last_used) })} · {fill(texts.since, { date: date(created) })}
        </p>
      </div>
      {!current && (
        <Button kind="quiet" isBusy={isBusy} onClick={onEnd}>
          {texts.end}
          <span class="hidden-text">: {client}</span>
        </Button>
      )}
    </>
  )
}

function iconOf(client: string): IconName {
  if (/Android|iPhone|iPad|AntennaPod/.test(client)) return 'mobile'
  return / on /.test(client) ? 'laptop' : 'other'
}

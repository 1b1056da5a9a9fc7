import { signal } from '@preact/signals'
import { type Answer, call } from '../../api/client.ts'
import { ActionButton, QueryState } from '../../components/feedback/notice.tsx'
import { useFolded } from '../../components/forms/folded.tsx'
import { Icon, type IconName } from '../../components/icon.tsx'
import { MetaLine, Section, Skeleton } from '../../components/layout/page.tsx'
import { useHints } from '../../hooks/use-hints.ts'
import { useQuery, useSettled } from '../../hooks/use-query.ts'
import { clientName, isBrowser, isMobile } from '../../locales/client-name.ts'
import { ago, date, t } from '../../locales/index.ts'
import { toast } from '../../store/toasts.ts'

type Session = Answer<'listSessions'>[number]

/** Number of sessions shown initially: the current one and the most recently used. */
const UNFOLDED = 4

/** Incremented when another part of the page has ended sessions, to reload the list. */
export const sessionChanges = signal(0)

export function Sessions({ onSettled }: { readonly onSettled: () => void }) {
  const query = useQuery((abort) => call('listSessions', { signal: abort }), [sessionChanges.value])
  useHints(['account'], query.reload)
  const list = query.data.value?.toSorted((a, b) => Number(b.current) - Number(a.current))
  useSettled(query, onSettled)
  const { shown, list: element, more } = useFolded<Session, HTMLUListElement>(list ?? [], UNFOLDED)

  async function end(request: Promise<unknown>, message: string): Promise<void> {
    await request
    await query.reload()
    toast(message)
  }

  return (
    <Section title={t('account.sessions.title')} lead={t('account.sessions.lead')}>
      <QueryState query={query} skeleton={<Skeleton height="3.5rem" count={2} />} />
      {list && (
        <ul class="rows" ref={element}>
          {shown.map((session) => (
            <li key={session.id} class="session setting-row" tabIndex={-1}>
              <SessionItem
                session={session}
                onEnd={() =>
                  end(
                    call('endSession', { path: { id: session.id } }),
                    t('account.sessions.ended', { client: nameOf(session) }),
                  )
                }
              />
            </li>
          ))}
        </ul>
      )}
      {list && list.length > 1 && (
        <div class="row">
          {more}
          <ActionButton work={() => end(call('endOtherSessions'), t('account.sessions.endedOthers'))}>
            {t('account.sessions.endOthers')}
          </ActionButton>
        </div>
      )}
      {list?.length === 1 && <p class="muted small">{t('account.sessions.onlyHere')}</p>}
    </Section>
  )
}

function SessionItem({ session, onEnd }: { session: Session; onEnd: () => Promise<void> }) {
  const { client, current, created, last_used } = session
  const name = nameOf(session)
  return (
    <>
      <Icon name={iconOf(client)} />
      <div>
        <h3 class="row session-name">
          <bdi>{name}</bdi>
          {current && <span class="chip chip-good">{t('account.sessions.current')}</span>}
        </h3>
        <MetaLine
          items={[
            // The recorded time of the current session may be an hour old.
            !current && t('account.sessions.used', { ago: ago(last_used) }),
            t('account.sessions.since', { date: date(created) }),
          ]}
        />
      </div>
      {!current && (
        <ActionButton kind="quiet" about={name} work={onEnd}>
          {t('account.sessions.end')}
        </ActionButton>
      )}
    </>
  )
}

/** Returns the name of the app or, if unknown, one with the time of sign-in to distinguish such sessions. */
function nameOf({ client, created }: Session): string {
  return clientName(client) || t('account.sessions.unknown', { date: date(created, 'time') })
}

function iconOf(client: string): IconName {
  if (isMobile(client)) return 'mobile'
  return isBrowser(client) ? 'laptop' : 'other'
}

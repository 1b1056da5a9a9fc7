import { useSignal } from '@preact/signals'
import { type Answer, call } from '../../api/client.ts'
import { NewAppPassword } from '../../components/app-password.tsx'
import { QueryState } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { FormDialog } from '../../components/forms/dialog.tsx'
import { Section, Skeleton } from '../../components/layout/page.tsx'
import { setTo } from '../../hooks/setters.ts'
import { useHints } from '../../hooks/use-hints.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { ago, date, t } from '../../locales/index.ts'
import { toast } from '../../store/toasts.ts'
import { sessionChanges } from './sessions.tsx'

type AppPassword = Answer<'listAppPasswords'>[number]

/** The passwords that the user has given to apps, with buttons to make and to revoke them. */
export function AppPasswords() {
  const query = useQuery((signal) => call('listAppPasswords', { signal }))
  useHints(['app-passwords'], query.reload)
  const revoking = useSignal<AppPassword | undefined>(undefined)
  const list = query.data.value
  const { value: revoked } = revoking
  return (
    <Section title={t('account.appPasswords.title')} lead={t('account.appPasswords.lead')}>
      <QueryState query={query} skeleton={<Skeleton height="3.5rem" count={2} />} />
      {list?.length === 0 && <p>{t('account.appPasswords.none')}</p>}
      {list && list.length > 0 && (
        <ul class="rows">
          {list.map((each) => (
            <li key={each.id} class="row-apart">
              <div>
                <h3 class="row session-name">
                  <bdi>{each.name}</bdi>
                  {each.scope !== 'sync' && <span class="chip">{t(`account.appPasswords.scopes.${each.scope}`)}</span>}
                </h3>
                <p class="muted small">
                  {usage(each)} · {t('account.appPasswords.since', { date: date(each.created) })}
                </p>
              </div>
              <Button kind="quiet" about={each.name} onClick={setTo(revoking, each)}>
                {t('account.appPasswords.revoke')}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <NewAppPassword onMade={query.reload} />
      {revoked && (
        <FormDialog
          title={t('account.appPasswords.revokeTitle', { name: revoked.name })}
          submit={t('account.appPasswords.revoke')}
          kind="danger"
          errorScope="account"
          onSubmit={() => call('revokeAppPassword', { path: { id: revoked.id } })}
          onClose={setTo(revoking, undefined)}
          onDone={() => {
            toast(t('account.appPasswords.revoked', { name: revoked.name }))
            sessionChanges.value++
            void query.reload()
          }}
        >
          <p>{t('account.appPasswords.revokeText')}</p>
        </FormDialog>
      )}
    </Section>
  )
}

function usage({ last_used, client }: AppPassword): string {
  if (last_used === '') return t('account.appPasswords.unused')
  return client === ''
    ? t('account.appPasswords.used', { ago: ago(last_used) })
    : t('account.appPasswords.usedBy', { ago: ago(last_used), client })
}

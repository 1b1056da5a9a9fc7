import { call } from '../../api/client.ts'
import { AppPasswordList } from '../../components/app-password-list.tsx'
import { Notice, QueryState } from '../../components/feedback/notice.tsx'
import { CopyField } from '../../components/forms/field.tsx'
import { Section, Skeleton } from '../../components/layout/page.tsx'
import { NewAppPassword } from '../../components/new-app-password.tsx'
import { useHints } from '../../hooks/use-hints.ts'
import { useQuery, useSettled } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { sessionChanges } from './sessions.tsx'

/** App passwords of the user, with buttons to create and revoke them. */
export function AppPasswords({ onSettled }: { readonly onSettled: () => void }) {
  const query = useQuery((signal) => call('listAppPasswords', { signal }))
  useHints(['app-passwords'], query.reload)
  const list = query.data.value
  useSettled(query, onSettled)

  function reload(): void {
    sessionChanges.value++
    void query.reload()
  }

  return (
    <Section title={t('account.appPasswords.title')} lead={t('account.appPasswords.lead')}>
      <QueryState query={query} skeleton={<Skeleton height="3.5rem" count={2} />} />
      {list?.length === 0 && <p>{t('account.appPasswords.none')}</p>}
      {list && list.length > 0 && (
        <AppPasswordList list={list} warning={t('account.appPasswords.revokeText')} onRevoke={reload} />
      )}
      <NewAppPassword
        texts={{
          make: t('account.appPasswords.make'),
          title: t('account.appPasswords.makeTitle'),
          submit: t('account.appPasswords.make'),
          name: t('account.appPasswords.name'),
          nameHint: t('account.appPasswords.nameHint'),
        }}
        // Private feeds are created on a separate page.
        scopes={['sync', 'read']}
        onMade={query.reload}
      >
        {({ name, password }) => (
          <Notice>
            <p>{t('account.appPasswords.made', { name })}</p>
            <CopyField text={password} label={t('account.appPasswords.password')} />
          </Notice>
        )}
      </NewAppPassword>
    </Section>
  )
}

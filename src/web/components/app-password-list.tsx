import { useSignal } from '@preact/signals'
import { type Answer, call } from '../api/client.ts'
import { setTo } from '../hooks/setters.ts'
import { clientName } from '../locales/client-name.ts'
import { ago, date, t } from '../locales/index.ts'
import { toast } from '../store/toasts.ts'
import { Button } from './forms/button.tsx'
import { FormDialog } from './forms/dialog.tsx'
import { useFolded } from './forms/folded.tsx'
import { MetaLine } from './layout/page.tsx'

type AppPassword = Answer<'listAppPasswords'>[number]

/** Number of app passwords to show before the rest is folded. */
const UNFOLDED = 5

interface AppPasswordListProps {
  readonly list: readonly AppPassword[]
  /** Text of the confirmation dialog. */
  readonly warning: string
  /** Called after an app password was revoked. */
  readonly onRevoke: () => unknown
}

/** List of app passwords with their last use, each with a button to revoke it. */
export function AppPasswordList({ list, warning, onRevoke }: AppPasswordListProps) {
  const revoking = useSignal<AppPassword | undefined>(undefined)
  const { value: revoked } = revoking
  const { shown, list: element, more } = useFolded<AppPassword, HTMLUListElement>(list, UNFOLDED)
  return (
    <>
      <ul class="rows" ref={element}>
        {shown.map((each) => (
          <li key={each.id} class="row-apart" tabIndex={-1}>
            <div>
              <h3 class="row session-name">
                <bdi>{each.name}</bdi>
                {each.scope !== 'sync' && <span class="chip">{t(`account.appPasswords.scopes.${each.scope}`)}</span>}
              </h3>
              <MetaLine items={[usage(each), t('account.appPasswords.since', { date: date(each.created) })]} />
            </div>
            <Button kind="quiet" about={each.name} onClick={setTo(revoking, each)}>
              {t('account.appPasswords.revoke')}
            </Button>
          </li>
        ))}
      </ul>
      {more && <p>{more}</p>}
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
            onRevoke()
          }}
        >
          <p>{warning}</p>
        </FormDialog>
      )}
    </>
  )
}

function usage({ last_used, client }: AppPassword): string {
  if (last_used === '') return t('account.appPasswords.unused')
  return client === ''
    ? t('account.appPasswords.used', { ago: ago(last_used) })
    : t('account.appPasswords.usedBy', { ago: ago(last_used), client: clientName(client) })
}

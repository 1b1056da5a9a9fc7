import { useSignal } from '@preact/signals'
import { call } from '../../api/client.ts'
import { Notice } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { closeDialog, Dialog, DialogActions, FormDialog } from '../../components/forms/dialog.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { Section } from '../../components/layout/page.tsx'
import { setTo } from '../../hooks/setters.ts'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { account, isSameName } from '../../store/session.ts'

/** Deletes the user's own account. */
export function RemoveAccount() {
  const step = useSignal<'confirm' | 'done' | undefined>(undefined)
  return (
    <Section title={t('account.removal.title')} lead={t('account.removal.lead')}>
      <p>{t('account.removal.text')}</p>
      {account.value?.is_admin && <Notice kind="warn">{t('account.removal.lastAdmin')}</Notice>}
      <div class="row">
        <Button kind="danger" icon="trash" onClick={setTo(step, 'confirm')}>
          {t('account.removal.button')}
        </Button>
      </div>
      {step.value === 'confirm' && (
        <RemovalDialog
          onClose={() => {
            if (step.value === 'confirm') step.value = undefined
          }}
          onDone={setTo(step, 'done')}
        />
      )}
      {step.value === 'done' && (
        <Dialog title={t('account.removal.done')} onClose={leave}>
          <p>{t('account.removal.farewell')}</p>
          <DialogActions>
            <Button kind="main" onClick={closeDialog}>
              {t('common.done')}
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </Section>
  )
}

/** Loads the page again, so that no data of the user remains in memory. */
function leave(): void {
  location.assign(href('/login'))
}

function RemovalDialog({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const { username, has_password: hasPassword } = account.value ?? { username: '', has_password: true }
  const password = useSignal('')
  const typed = useSignal('')
  const isReady = hasPassword ? password.value !== '' : isSameName(typed.value, username)

  function remove(): Promise<unknown> {
    const body = hasPassword ? { username, password: password.value } : { username: typed.value.trim() }
    return call('deleteOwnAccount', { body })
  }

  return (
    <FormDialog
      title={t('account.removal.ask', { username })}
      submit={t('account.removal.confirm')}
      kind="danger"
      isReady={isReady}
      errorScope="account"
      onSubmit={remove}
      onClose={onClose}
      onDone={onDone}
    >
      <p>{t('account.removal.text')}</p>
      {hasPassword ? (
        <TextField kind="password" label={t('account.password')} value={password} />
      ) : (
        <TextField label={t('account.removal.name', { username })} value={typed} />
      )}
    </FormDialog>
  )
}

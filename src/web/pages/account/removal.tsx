import { useSignal } from '@preact/signals'
import { call } from '../../api/client.ts'
import { Notice } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { closeDialog, Dialog, DialogActions, FormDialog } from '../../components/forms/dialog.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { Section } from '../../components/layout/section.tsx'
import { isSameName } from '../../store/imports.ts'
import { href } from '../../store/paths.ts'
import { account } from '../../store/session.ts'
import { fill, t } from '../../text/index.ts'
import { accountRefusal } from './sign-in.tsx'

/** The end of an account, and what it means. */
export function RemoveAccount() {
  const texts = t().account.removal
  const step = useSignal<'asked' | 'gone' | undefined>(undefined)
  return (
    <Section title={texts.title} lead={texts.lead}>
      <p>{texts.text}</p>
      {account.value?.is_admin && (
        <Notice kind="warn">
          <p>{texts.lastAdmin}</p>
        </Notice>
      )}
      <div class="row">
        <Button
          kind="danger"
          icon="trash"
          onClick={() => {
            step.value = 'asked'
          }}
        >
          {texts.button}
        </Button>
      </div>
      {step.value === 'asked' && (
        <RemovalDialog
          onClose={() => {
            if (step.value === 'asked') step.value = undefined
          }}
          onDone={() => {
            step.value = 'gone'
          }}
        />
      )}
      {step.value === 'gone' && (
        <Dialog title={texts.done} onClose={leave}>
          <p>{texts.farewell}</p>
          <DialogActions>
            <Button kind="main" onClick={closeDialog}>
              {t().common.done}
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </Section>
  )
}

/** By loading the page anew, which forgets all that was kept of the person. */
function leave(): void {
  location.assign(href('/login'))
}

interface RemovalDialogProps {
  readonly onClose: () => void
  readonly onDone: () => void
}

function RemovalDialog({ onClose, onDone }: RemovalDialogProps) {
  const { removal: texts, password: passwordLabel } = t().account
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
      title={fill(texts.ask, { username })}
      submit={texts.confirm}
      kind="danger"
      isReady={isReady}
      wordsFor={accountRefusal}
      onSubmit={remove}
      onClose={onClose}
      onDone={onDone}
    >
      <p>{texts.text}</p>
      {hasPassword ? (
        <TextField
          label={passwordLabel}
          type="password"
          name="password"
          autoComplete="current-password"
          value={password.value}
          onInput={(value) => {
            password.value = value
          }}
        />
      ) : (
        <TextField
          label={fill(texts.name, { username })}
          value={typed.value}
          onInput={(value) => {
            typed.value = value
          }}
        />
      )}
    </FormDialog>
  )
}

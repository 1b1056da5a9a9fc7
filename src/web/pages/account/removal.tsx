import { useSignal } from '@preact/signals'
import { call } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { Checkbox, TextField } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Section } from '../../parts/section.tsx'
import { account } from '../../state/session.ts'
import { toast } from '../../state/toasts.ts'
import { isSameName } from '../../state/typed-name.ts'
import { fill, t } from '../../text/index.ts'
import { accountRefusal } from './words.ts'

/** The end of an account, and what it means. */
export function RemoveAccount({ isLinked }: { isLinked: boolean }) {
  const texts = t().account.removal
  const isAsked = useSignal(false)
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
            isAsked.value = true
          }}
        >
          {texts.button}
        </Button>
      </div>
      {isAsked.value && (
        <RemovalDialog
          isLinked={isLinked}
          onClose={() => {
            isAsked.value = false
          }}
        />
      )}
    </Section>
  )
}

function RemovalDialog({ isLinked, onClose }: { isLinked: boolean; onClose: () => void }) {
  const { removal: texts, password: passwordLabel } = t().account
  const username = account.value?.username ?? ''
  const password = useSignal('')
  const typed = useSignal('')
  const lacksPassword = useSignal(false)
  const isReady = lacksPassword.value ? isSameName(typed.value, username) : password.value !== ''

  function remove(): Promise<unknown> {
    const body = lacksPassword.value ? { username: typed.value.trim() } : { password: password.value }
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
      onDone={() => {
        toast(texts.done)
        account.value = null
      }}
    >
      <p>{texts.text}</p>
      {lacksPassword.value ? (
        <TextField
          label={fill(texts.name, { username })}
          value={typed.value}
          onInput={(value) => {
            typed.value = value
          }}
        />
      ) : (
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
      )}
      {isLinked && (
        <Checkbox
          label={texts.noPassword}
          checked={lacksPassword.value}
          onChange={(isLacking) => {
            lacksPassword.value = isLacking
          }}
        />
      )}
    </FormDialog>
  )
}

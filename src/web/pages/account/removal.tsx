import { useSignal } from '@preact/signals'
import { ApiError, call } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { Checkbox, TextField } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Section } from '../../parts/section.tsx'
import { account } from '../../state/session.ts'
import { toast } from '../../state/toasts.ts'
import { isSameName } from '../../state/typed-name.ts'
import { fill, t } from '../../text/index.ts'
import { fieldWords } from './words.ts'

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

  async function remove(): Promise<void> {
    const body = lacksPassword.value ? { username: typed.value.trim() } : { password: password.value }
    try {
      await call('deleteOwnAccount', { body })
    } catch (error) {
      // In the words of the fields, which the dialog does not know.
      throw error instanceof ApiError && error.word === 'validation_failed' ? new Error(fieldWords(error).text) : error
    }
  }

  return (
    <FormDialog
      title={fill(texts.ask, { username })}
      submit={texts.confirm}
      kind="danger"
      isReady={isReady}
      words={t().account.refusals}
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

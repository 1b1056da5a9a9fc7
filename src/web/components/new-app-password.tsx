import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { type Answer, call, type Options } from '../api/client.ts'
import { setTo, setter } from '../hooks/setters.ts'
import { t } from '../locales/index.ts'
import { Button } from './forms/button.tsx'
import { SelectField } from './forms/choice.tsx'
import { FormDialog } from './forms/dialog.tsx'
import { TextField } from './forms/field.tsx'

type Scope = NonNullable<Options<'createAppPassword'>['body']['scope']>
type CreatedPassword = Answer<'createAppPassword'>

interface Texts {
  /** Label of the button that opens the form. */
  readonly make: string
  readonly title: string
  readonly submit: string
  /** Label of the name field. */
  readonly name: string
  readonly nameHint: string
}

interface FormProps {
  readonly texts: Texts
  /** Scopes to choose from; the first is the default. The choice is hidden if there is only one. */
  readonly scopes: readonly [Scope, ...Scope[]]
}

interface NewAppPasswordProps extends FormProps {
  readonly onMade: () => unknown
  /** Renders the new app password. The server sends the secret only once, so it is lost when the page is left. */
  readonly children: (made: CreatedPassword) => ComponentChildren
}

/** Button that creates an app password with a name, and the result. */
export function NewAppPassword({ texts, scopes, onMade, children }: NewAppPasswordProps) {
  const isOpen = useSignal(false)
  const made = useSignal<CreatedPassword | undefined>(undefined)
  return (
    <>
      <div class="row">
        <Button icon="plus" onClick={setTo(isOpen, true)}>
          {texts.make}
        </Button>
      </div>
      <div role="status">{made.value && children(made.value)}</div>
      {isOpen.value && (
        <NameForm
          texts={texts}
          scopes={scopes}
          onMade={(password) => {
            made.value = password
            onMade()
          }}
          onClose={setTo(isOpen, false)}
        />
      )}
    </>
  )
}

interface NameFormProps extends FormProps {
  readonly onMade: (made: CreatedPassword) => void
  readonly onClose: () => void
}

function NameForm({ texts, scopes, onMade, onClose }: NameFormProps) {
  const name = useSignal('')
  const scope = useSignal<Scope>(scopes[0])
  return (
    <FormDialog
      title={texts.title}
      submit={texts.submit}
      errorScope="account"
      onSubmit={async () => onMade(await call('createAppPassword', { body: { name: name.value, scope: scope.value } }))}
      onClose={onClose}
    >
      <TextField label={texts.name} hint={texts.nameHint} required maxLength={100} isProse value={name} />
      {scopes.length > 1 && (
        <SelectField
          label={t('account.appPasswords.scope')}
          value={scope.value}
          options={scopes.map((value) => ({ value, label: t(`account.appPasswords.scopes.${value}`) }))}
          onChoose={setter(scope)}
        />
      )}
    </FormDialog>
  )
}

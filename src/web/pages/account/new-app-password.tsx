import { useSignal } from '@preact/signals'
import { call } from '../../api/client.ts'
import { Notice } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { SelectField } from '../../components/forms/choice.tsx'
import { FormDialog } from '../../components/forms/dialog.tsx'
import { CopyField, TextField } from '../../components/forms/field.tsx'
import { setTo, setter } from '../../hooks/setters.ts'
import { t } from '../../locales/index.ts'

/** What can be chosen here; private feeds are made on a page of their own. */
const SCOPES = ['sync', 'read'] as const

/** A button that makes an app password, and the new password, which is shown only once. */
export function NewAppPassword({ onMade }: { onMade?: () => unknown }) {
  const isOpen = useSignal(false)
  const made = useSignal<{ readonly name: string; readonly password: string } | undefined>(undefined)
  const name = useSignal('')
  const scope = useSignal<(typeof SCOPES)[number]>('sync')

  function open(): void {
    name.value = ''
    scope.value = 'sync'
    isOpen.value = true
  }

  async function make(): Promise<void> {
    made.value = await call('createAppPassword', { body: { name: name.value, scope: scope.value } })
  }

  return (
    <>
      <div class="row">
        <Button icon="plus" onClick={open}>
          {t('account.appPasswords.make')}
        </Button>
      </div>
      <div role="status">
        {made.value && (
          <Notice>
            <p>{t('account.appPasswords.made', { name: made.value.name })}</p>
            <CopyField text={made.value.password} label={t('account.appPasswords.password')} />
          </Notice>
        )}
      </div>
      {isOpen.value && (
        <FormDialog
          title={t('account.appPasswords.makeTitle')}
          submit={t('account.appPasswords.make')}
          errorScope="account"
          onSubmit={make}
          onClose={setTo(isOpen, false)}
          onDone={() => void onMade?.()}
        >
          <TextField
            label={t('account.appPasswords.name')}
            hint={t('account.appPasswords.nameHint')}
            required
            maxLength={100}
            isProse
            value={name}
          />
          <SelectField
            label={t('account.appPasswords.scope')}
            value={scope.value}
            options={SCOPES.map((value) => ({ value, label: t(`account.appPasswords.scopes.${value}`) }))}
            onChoose={setter(scope)}
          />
        </FormDialog>
      )}
    </>
  )
}

import { type Signal, useSignal } from '@preact/signals'
import { type Answer, call } from '../../api/client.ts'
import { Notice, QueryState } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { closeDialog, Dialog, DialogActions, FormDialog } from '../../components/forms/dialog.tsx'
import { CopyField, TextField } from '../../components/forms/field.tsx'
import { Skeleton } from '../../components/layout/page.tsx'
import { QrCode } from '../../components/qr-code.tsx'
import { saveFile } from '../../components/save-file.ts'
import { setTo } from '../../hooks/setters.ts'
import { useHints } from '../../hooks/use-hints.ts'
import { type Query, useQuery, useSettled } from '../../hooks/use-query.ts'
import { date, t } from '../../locales/index.ts'
import { account, ownName } from '../../store/session.ts'
import { toast } from '../../store/toasts.ts'
import { sessionChanges } from './sessions.tsx'
import { SettingRow } from './setting-row.tsx'

type Setup = Answer<'beginSecondFactor'>
type Factor = Answer<'getSecondFactor'>

/** Number of remaining recovery codes at or below which users are warned to create new ones. */
const CODES_WARNING = 3

/** The second factor. Users without a password sign in with a provider, which has its own. */
export function SecondFactor({ onSettled }: { readonly onSettled: () => void }) {
  const query = useQuery((signal) => call('getSecondFactor', { signal }))
  useHints(['account'], query.reload)
  useSettled(query, onSettled)
  const dialog = useSignal<'begin' | 'renew' | 'off' | undefined>(undefined)
  const setup = useSignal<Setup | undefined>(undefined)
  const recoveryCodes = useSignal<readonly string[] | undefined>(undefined)
  const close = setTo(dialog, undefined)
  const factor = query.data.value
  if (account.value?.has_password !== true) return null

  function changed(isOn: boolean): void {
    if (account.value) account.value = { ...account.value, has_second_factor: isOn }
    sessionChanges.value++
    void query.reload()
  }

  return (
    <SettingRow title={t('account.secondFactor.title')} value={<FactorState query={query} />}>
      {factor && !factor.enabled && (
        <Button about={t('account.secondFactor.title')} onClick={setTo(dialog, 'begin')}>
          {t('account.secondFactor.setUp')}
        </Button>
      )}
      {factor?.enabled && (
        <>
          <Button onClick={setTo(dialog, 'renew')}>{t('account.secondFactor.renew')}</Button>
          <Button onClick={setTo(dialog, 'off')}>{t('account.secondFactor.turnOff')}</Button>
        </>
      )}
      {dialog.value === 'begin' && <BeginDialog setup={setup} onClose={close} />}
      {setup.value && (
        <EnableDialog
          setup={setup.value}
          recoveryCodes={recoveryCodes}
          onClose={setTo(setup, undefined)}
          onDone={() => {
            changed(true)
            toast(t('account.secondFactor.turnedOn'))
          }}
        />
      )}
      {dialog.value === 'renew' && (
        <ConfirmDialog
          title={t('account.secondFactor.renew')}
          text={t('account.secondFactor.renewText')}
          submit={t('account.secondFactor.renew')}
          onSubmit={async (body) => {
            recoveryCodes.value = (await call('renewRecoveryCodes', { body })).recovery_codes
          }}
          onClose={close}
          onDone={() => changed(true)}
        />
      )}
      {dialog.value === 'off' && (
        <ConfirmDialog
          title={t('account.secondFactor.turnOffTitle')}
          text={t('account.secondFactor.turnOffText')}
          submit={t('account.secondFactor.turnOff')}
          onSubmit={(body) => call('disableSecondFactor', { body })}
          onClose={close}
          onDone={() => {
            changed(false)
            toast(t('account.secondFactor.turnedOff'))
          }}
        />
      )}
      {recoveryCodes.value && !setup.value && (
        <RecoveryCodes codes={recoveryCodes.value} onClose={setTo(recoveryCodes, undefined)} />
      )}
    </SettingRow>
  )
}

function FactorState({ query }: { readonly query: Query<Factor> }) {
  const factor = query.data.value
  return (
    <>
      <QueryState query={query} skeleton={<Skeleton height="1.25rem" />} />
      {factor && (
        <p>
          {factor.enabled ? t('account.secondFactor.on', { date: date(factor.since) }) : t('account.secondFactor.off')}
        </p>
      )}
      {factor?.enabled && <RecoveryCodesLeft count={factor.recovery_codes} />}
    </>
  )
}

function RecoveryCodesLeft({ count }: { readonly count: number }) {
  const text = t('account.secondFactor.left', { n: count })
  return count > CODES_WARNING ? <p>{text}</p> : <Notice kind="warn">{text}</Notice>
}

interface BeginProps {
  readonly setup: Signal<Setup | undefined>
  readonly onClose: () => void
}

function BeginDialog({ setup, onClose }: BeginProps) {
  const password = useSignal('')
  return (
    <FormDialog
      title={t('account.secondFactor.setUpTitle')}
      submit={t('account.secondFactor.next')}
      errorScope="account"
      onSubmit={async () => {
        setup.value = await call('beginSecondFactor', { body: { password: password.value } })
      }}
      onClose={onClose}
    >
      <p>{t('account.secondFactor.before')}</p>
      <TextField kind="password" label={t('account.password')} required value={password} />
    </FormDialog>
  )
}

interface EnableProps {
  readonly setup: Setup
  readonly recoveryCodes: Signal<readonly string[] | undefined>
  readonly onClose: () => void
  readonly onDone: () => void
}

function EnableDialog({ setup, recoveryCodes, onClose, onDone }: EnableProps) {
  const code = useSignal('')
  return (
    <FormDialog
      title={t('account.secondFactor.setUpTitle')}
      submit={t('account.secondFactor.turnOn')}
      errorScope="account"
      onSubmit={async () => {
        recoveryCodes.value = (await call('enableSecondFactor', { body: { code: code.value } })).recovery_codes
      }}
      onClose={onClose}
      onDone={onDone}
    >
      <p>{t('account.secondFactor.scan')}</p>
      <QrCode text={setup.uri} label={t('account.secondFactor.qr')} hint={t('account.secondFactor.qrHint')} />
      <CopyField text={inGroups(setup.secret)} label={t('account.secondFactor.key')} />
      <TextField kind="code" label={t('account.secondFactor.code')} value={code} />
    </FormDialog>
  )
}

/** Splits a secret into groups of four, which are easier to type. Apps ignore the spaces. */
function inGroups(secret: string): string {
  return secret.match(/.{1,4}/g)?.join(' ') ?? ''
}

interface ConfirmProps {
  readonly title: string
  readonly text: string
  readonly submit: string
  readonly onSubmit: (confirmation: { password: string; code: string }) => Promise<unknown>
  readonly onClose: () => void
  readonly onDone: () => void
}

function ConfirmDialog({ text, onSubmit, ...rest }: ConfirmProps) {
  const password = useSignal('')
  const code = useSignal('')
  return (
    <FormDialog
      {...rest}
      errorScope="account"
      onSubmit={() => onSubmit({ password: password.value, code: code.value })}
    >
      <p>{text}</p>
      <TextField kind="password" label={t('account.password')} required value={password} />
      <TextField kind="recoveryCode" label={t('account.secondFactor.anyCode')} value={code} />
    </FormDialog>
  )
}

/** Recovery codes to copy, download or print. */
function RecoveryCodes({ codes, onClose }: { readonly codes: readonly string[]; readonly onClose: () => void }) {
  const text = codes.join('\n')

  function download(): void {
    const { host } = location
    const heading = t('account.secondFactor.fileText', { username: ownName(), server: host })
    saveFile(new File([`${heading}\n\n${text}\n`], `podstep-${ownName()}.txt`, { type: 'text/plain' }))
  }

  return (
    <Dialog title={t('account.secondFactor.recoveryTitle')} onClose={onClose} isText>
      <p>{t('account.secondFactor.recoveryText')}</p>
      <div class="on-paper">
        <CopyField text={text} label={t('account.secondFactor.recoveryList')} />
      </div>
      <DialogActions>
        <Button kind="quiet" onClick={() => print()}>
          {t('account.secondFactor.print')}
        </Button>
        <Button kind="quiet" icon="download" onClick={download}>
          {t('account.secondFactor.download')}
        </Button>
        <Button kind="main" onClick={closeDialog}>
          {t('common.done')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

import { useSignal } from '@preact/signals'
import { call } from '../../api/client.ts'
import { Notice } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { Checkbox } from '../../components/forms/choice.tsx'
import { closeDialog, Dialog, DialogActions, FormDialog } from '../../components/forms/dialog.tsx'
import { CopyField, TextField } from '../../components/forms/field.tsx'
import { QrCode } from '../../components/qr-code.tsx'
import { setter } from '../../hooks/setters.ts'
import { date, t } from '../../locales/index.ts'
import { server } from '../../store/session.ts'
import { toast } from '../../store/toasts.ts'
import { addressesForApps } from '../connect/connection.ts'
import { type IssuedInvitation, invitationText, linkedAt } from './invitation.ts'

interface InviteProps {
  readonly onClose: () => void
  /** Called with the invitation; undefined if the account was created with a password. */
  readonly onDone: (invitation: IssuedInvitation | undefined) => void
}

/** Creates a user, who gets an invitation link or, if the administrator prefers, a password. */
export function InviteUser({ onClose, onDone }: InviteProps) {
  const username = useSignal('')
  const email = useSignal('')
  const hasPassword = useSignal(false)
  const password = useSignal('')
  const made = useSignal<IssuedInvitation | undefined>(undefined)

  async function submit(): Promise<void> {
    const address = email.value.trim()
    const body = { username: username.value.trim(), ...(address !== '' && { email: address }) }
    if (hasPassword.value) await call('createUser', { body: { ...body, password: password.value } })
    else made.value = await call('inviteUser', { body })
  }

  return (
    <FormDialog
      title={t('admin.users.inviteTitle')}
      submit={hasPassword.value ? t('admin.users.createSubmit') : t('admin.users.inviteSubmit')}
      errorScope="admin.users"
      onSubmit={submit}
      onClose={onClose}
      onDone={() => {
        if (!made.value) toast(t('admin.users.created', { name: username.value.trim() }))
        onDone(made.value)
      }}
    >
      <p class="muted">{t('admin.users.inviteText')}</p>
      <TextField
        label={t('admin.users.username')}
        required
        maxLength={64}
        hint={t('admin.users.usernameHint')}
        value={username}
      />
      <TextField
        label={t('admin.users.email')}
        type="email"
        isOptional
        hint={t('admin.users.emailHint')}
        value={email}
      />
      <Checkbox label={t('admin.users.ownPassword')} checked={hasPassword.value} onChange={setter(hasPassword)} />
      {hasPassword.value && (
        <TextField
          kind="newPassword"
          label={t('admin.users.password')}
          hint={t('admin.users.passwordHint')}
          value={password}
        />
      )}
    </FormDialog>
  )
}

/** An invitation to copy, scan or print. */
export function InvitationCard({ invitation: issued, onClose }: { invitation: IssuedInvitation; onClose: () => void }) {
  const [address] = addressesForApps(document.baseURI, server.value)
  const invitation = address === undefined ? issued : linkedAt(address, issued)
  const name = invitation.user.username
  return (
    <Dialog title={t('admin.users.invitation.title', { name })} onClose={onClose} isText>
      <p class="muted not-printed">{t('admin.users.invitation.lead', { name, date: date(invitation.expires) })}</p>
      {address === undefined && <Notice kind="warn">{t('admin.users.invitation.loopback')}</Notice>}
      <div class="invitation stack on-paper">
        <CopyField
          text={invitationText(invitation)}
          label={t('admin.users.invitation.label')}
          action={t('admin.users.invitation.copy')}
        />
        <QrCode
          text={invitation.link}
          label={t('admin.users.invitation.qr')}
          hint={t('admin.users.invitation.qrHint')}
        />
      </div>
      <DialogActions>
        <Button kind="quiet" onClick={() => print()}>
          {t('admin.users.invitation.print')}
        </Button>
        <Button kind="main" onClick={closeDialog}>
          {t('common.done')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

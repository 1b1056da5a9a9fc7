import { useSignal } from '@preact/signals'
import type { ComponentChildren, ComponentProps } from 'preact'
import { call } from '../../api/client.ts'
import { errorMessage, toastError } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { FormDialog } from '../../components/forms/dialog.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { restoreFocus } from '../../components/forms/focus.ts'
import { setTo } from '../../hooks/setters.ts'
import { useMutation } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { account, isSameName, server } from '../../store/session.ts'
import { toast } from '../../store/toasts.ts'
import { type IssuedInvitation, resetObstacle, type User } from './invitation.ts'

interface ManageProps {
  readonly user: User
  /** Whether the user is the only active administrator. */
  readonly isLastAdmin: boolean
  readonly onChange: () => Promise<void>
  readonly onInvite: (invitation: IssuedInvitation) => void
}

/** Actions on a user, each with an explanation. */
export function ManageUser(props: ManageProps) {
  const { user } = props
  return (
    <ul class="rows manage">
      {user.invitation && <InvitationActions {...props} />}
      {!user.invitation && user.username === account.value?.username && <OwnActions {...props} />}
      {!user.invitation && user.username !== account.value?.username && <UserActions {...props} />}
    </ul>
  )
}

function InvitationActions({ user: { username }, onChange, onInvite }: ManageProps) {
  const isAsking = useSignal(false)
  const path = { username }
  const name = { name: username }
  return (
    <>
      <ActionButtonRow
        text={t('admin.users.invitation.renewText', name)}
        label={t('admin.users.invitation.renew')}
        work={async () => {
          const issued = await call('renewInvitation', { path })
          await onChange()
          onInvite(issued)
        }}
      />
      <ActionRow
        label={t('admin.users.invitation.withdraw')}
        text={t('admin.users.invitation.withdrawText')}
        isDanger
        onClick={setTo(isAsking, true)}
      >
        {isAsking.value && (
          <Confirmation
            title={t('admin.users.invitation.withdrawTitle', name)}
            submit={t('admin.users.invitation.withdraw')}
            text={t('admin.users.invitation.withdrawText')}
            onSubmit={() => call('withdrawInvitation', { path })}
            onClose={setTo(isAsking, false)}
            onDone={() => {
              toast(t('admin.users.invitation.withdrawn', name))
              // The button that had the focus disappears with the user.
              document.querySelector('h1')?.focus()
              void onChange()
            }}
          />
        )}
      </ActionRow>
    </>
  )
}

function OwnActions({ user, isLastAdmin, onChange }: ManageProps) {
  const isAsking = useSignal(false)
  return (
    <>
      <li class="stack-small action">
        <ButtonLink href={href('/account')}>{t('admin.users.toAccount')}</ButtonLink>
        <p class="muted small">{t('admin.users.own')}</p>
      </li>
      <ActionRow
        label={t('admin.users.demote')}
        text={isLastAdmin ? t('admin.users.errors.last_admin') : t('admin.users.demoteOwn')}
        isOff={isLastAdmin}
        onClick={setTo(isAsking, true)}
      >
        {isAsking.value && (
          <Confirmation
            title={t('admin.users.demoteOwnTitle')}
            submit={t('admin.users.demote')}
            text={t('admin.users.demoteOwn')}
            onSubmit={() => setRole(user.username, false)}
            onClose={setTo(isAsking, false)}
            onDone={() => void onChange()}
          />
        )}
      </ActionRow>
    </>
  )
}

function UserActions({ user, isLastAdmin, onChange }: ManageProps) {
  const { username, state, is_admin, second_factor } = user
  const path = { username }
  const name = { name: username }
  const dialog = useSignal<'deactivation' | 'password' | 'factor' | 'removal' | undefined>(undefined)
  const close = setTo(dialog, undefined)
  const obstacle = resetObstacle(user, server.value?.mail ?? true)
  const last = isLastAdmin ? t('admin.users.errors.last_admin') : undefined

  function done(what: 'deactivated' | 'factorReset' | 'removed'): void {
    toast(t(`admin.users.${what}`, name))
    void onChange()
  }

  /** Changes the role without confirmation, and offers to undo it. */
  async function changeRole(isAdmin: boolean): Promise<void> {
    await setRole(username, isAdmin)
    await onChange()
    toast(isAdmin ? t('admin.users.promoted', name) : t('admin.users.demoted', name), {
      subject: `role of ${username}`,
      action: {
        label: t('common.undo'),
        run: () =>
          void setRole(username, !isAdmin)
            .then(onChange)
            .catch((error: unknown) => toastError(error, { scope: 'admin.users' })),
      },
    })
  }

  return (
    <>
      {is_admin ? (
        <ActionButtonRow
          label={t('admin.users.demote')}
          text={last ?? t('admin.users.demoteText', name)}
          isOff={isLastAdmin}
          work={() => changeRole(false)}
        />
      ) : (
        <ActionButtonRow
          label={t('admin.users.promote')}
          text={t('admin.users.promoteText', name)}
          work={() => changeRole(true)}
        />
      )}
      <ActionRow
        label={t('admin.users.setPassword')}
        text={t('admin.users.setPasswordText', name)}
        onClick={setTo(dialog, 'password')}
      />
      <ActionButtonRow
        label={t('admin.users.mail')}
        text={obstacle ? t(`admin.users.errors.${obstacle}`) : t('admin.users.mailText', name)}
        isOff={obstacle !== undefined}
        work={async () => {
          await call('mailReset', { path })
          toast(t('admin.users.mailed', name))
        }}
      />
      {second_factor && (
        <ActionRow
          label={t('admin.users.resetFactor')}
          text={t('admin.users.resetFactorText', name)}
          onClick={setTo(dialog, 'factor')}
        />
      )}
      {state === 'active' ? (
        <ActionRow
          label={t('admin.users.deactivate')}
          text={last ?? t('admin.users.deactivateText', name)}
          isOff={isLastAdmin}
          onClick={setTo(dialog, 'deactivation')}
        />
      ) : (
        <ActionButtonRow
          label={t('admin.users.activate')}
          text={t('admin.users.activateText', name)}
          work={async () => {
            await call('activateUser', { path })
            await onChange()
            toast(t('admin.users.activated', name))
          }}
        />
      )}
      <ActionRow
        label={t('admin.users.remove')}
        text={last ?? t('admin.users.removeText')}
        isOff={isLastAdmin}
        isDanger
        onClick={setTo(dialog, 'removal')}
      />
      {dialog.value === 'deactivation' && (
        <Confirmation
          title={t('admin.users.deactivateTitle', name)}
          submit={t('admin.users.deactivate')}
          text={t('admin.users.deactivateText', name)}
          onSubmit={() => call('deactivateUser', { path })}
          onClose={close}
          onDone={() => done('deactivated')}
        />
      )}
      {dialog.value === 'password' && (
        <NewPassword username={username} onClose={close} onDone={() => toast(t('admin.users.passwordSet', name))} />
      )}
      {dialog.value === 'factor' && (
        <Confirmation
          title={t('admin.users.resetFactorTitle', name)}
          submit={t('admin.users.resetFactor')}
          text={t('admin.users.resetFactorText', name)}
          onSubmit={() => call('resetSecondFactor', { path })}
          onClose={close}
          onDone={() => done('factorReset')}
        />
      )}
      {dialog.value === 'removal' && <RemoveUser user={user} onClose={close} onDone={() => done('removed')} />}
    </>
  )
}

function setRole(username: string, isAdmin: boolean): Promise<unknown> {
  return call('setRole', { path: { username }, body: { is_admin: isAdmin } })
}

interface ActionProps {
  readonly label: string
  /** Explanation of the action, or the reason why it is unavailable. */
  readonly text: string
  readonly isOff?: boolean
}

/** An action without a dialog. Errors appear next to its button, which keeps the focus. */
function ActionButtonRow({ work, ...rest }: ActionProps & { readonly work: () => Promise<unknown> }) {
  const { isBusy, error, run } = useMutation()

  async function press({ currentTarget }: MouseEvent): Promise<void> {
    await run(work)
    if (currentTarget instanceof HTMLElement) restoreFocus(currentTarget)
  }

  return (
    <ActionRow {...rest} isBusy={isBusy.value} onClick={press}>
      {error.value !== undefined && (
        <p class="field-error" role="alert">
          {errorMessage(error.value, 'admin.users')}
        </p>
      )}
    </ActionRow>
  )
}

interface ActionRowProps extends ActionProps {
  readonly isBusy?: boolean
  readonly isDanger?: boolean
  readonly onClick: (event: MouseEvent) => unknown
  readonly children?: ComponentChildren
}

/** The button of an action, with an explanation. */
function ActionRow({
  label,
  text,
  isOff = false,
  isBusy = false,
  isDanger = false,
  onClick,
  children,
}: ActionRowProps) {
  return (
    <li class="stack-small action">
      <Button kind={isDanger ? 'danger' : 'plain'} isBusy={isBusy} disabled={isOff} onClick={onClick}>
        {label}
      </Button>
      <p class="muted small">{text}</p>
      {children}
    </li>
  )
}

type ConfirmationProps = Pick<ComponentProps<typeof FormDialog>, 'title' | 'submit' | 'onSubmit' | 'onClose'> & {
  /** Explanation of the action. */
  readonly text: string
  readonly onDone: () => void
}

function Confirmation({ text, ...rest }: ConfirmationProps) {
  return (
    <FormDialog kind="danger" errorScope="admin.users" {...rest}>
      <p>{text}</p>
    </FormDialog>
  )
}

function NewPassword({ username, onClose, onDone }: { username: string; onClose: () => void; onDone: () => void }) {
  const password = useSignal('')
  return (
    <FormDialog
      title={t('admin.users.setPasswordTitle', { name: username })}
      submit={t('admin.users.setPassword')}
      errorScope="admin.users"
      onSubmit={() => call('setPassword', { path: { username }, body: { password: password.value } })}
      onClose={onClose}
      onDone={onDone}
    >
      <p class="muted">{t('admin.users.setPasswordText', { name: username })}</p>
      <TextField
        kind="newPassword"
        label={t('admin.users.password')}
        hint={t('admin.users.passwordHint')}
        value={password}
      />
    </FormDialog>
  )
}

/** Deletes a user. The administrator must type the name, to prevent mistakes. */
function RemoveUser({ user, onClose, onDone }: { user: User; onClose: () => void; onDone: () => void }) {
  const { username } = user
  const typed = useSignal('')
  return (
    <FormDialog
      title={t('admin.users.removeTitle', { name: username })}
      submit={t('admin.users.removeConfirm')}
      kind="danger"
      isReady={isSameName(typed.value, username)}
      errorScope="admin.users"
      onSubmit={() => call('deleteUser', { path: { username } })}
      onClose={onClose}
      onDone={() => {
        onDone()
        // The button that had the focus disappears with the user.
        document.querySelector('h1')?.focus()
      }}
    >
      <p>
        {t('admin.users.removeWhat', {
          devices: t('common.devices', { n: user.devices }),
          podcasts: t('common.podcasts', { n: user.subscriptions }),
        })}
      </p>
      <TextField label={t('admin.users.removeName', { name: username })} value={typed} />
    </FormDialog>
  )
}

export interface Actor {
  readonly name: string | undefined
  readonly via: 'api' | 'command_line' | 'single_sign_on'
}

export interface AuditContext {
  readonly actor: Actor
  readonly at: number
}

export type AuditAction =
  | 'user_created'
  | 'user_invited'
  | 'invitation_renewed'
  | 'invitation_withdrawn'
  | 'invitation_accepted'
  | 'user_deleted'
  | 'user_activated'
  | 'user_deactivated'
  | 'admin_granted'
  | 'admin_revoked'
  | 'password_set'
  | 'second_factor_reset'
  | 'reset_mail_requested'
  | 'test_mail_sent'
  | 'backup_requested'

export interface AuditEntry {
  readonly id: number
  readonly at: number
  readonly actor: Actor
  readonly action: AuditAction
  readonly target: string | undefined
}

export interface AuditFilter {
  readonly actions?: readonly string[] | undefined
  readonly username?: string | undefined
}

export interface AuditStore {
  add(auditContext: AuditContext, action: AuditAction, target?: string): Promise<void>
  page(
    offset: number,
    limit: number,
    filter?: AuditFilter,
  ): Promise<{ readonly total: number; readonly entries: AuditEntry[] }>
}

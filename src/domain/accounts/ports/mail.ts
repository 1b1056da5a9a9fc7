import type { Language } from '../../shared/languages.ts'

export type MailPurpose = 'activation' | 'password_reset'

export interface RequestedMail {
  readonly purpose: MailPurpose
  readonly emailKey: string
  readonly language: Language
}

export interface WaitingMail extends RequestedMail {
  readonly id: number
  readonly requestedAt: number
  readonly attempts: number
  readonly nextAttemptAt: number
  readonly lastError: string | undefined
}

export interface MailStore {
  /** Restarts a mail that is already waiting for the address. Returns false, storing nothing, if `max` others wait. */
  request(mail: RequestedMail, at: number, max?: number): Promise<boolean>
  listDue(at: number, limit: number): Promise<WaitingMail[]>
  postpone(mail: WaitingMail, nextAttemptAt: number, error: string): Promise<void>
  remove(mail: WaitingMail): Promise<void>
  waiting(limit: number): Promise<{ readonly total: number; readonly mails: WaitingMail[] }>
}

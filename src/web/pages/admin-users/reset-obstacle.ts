interface Recipient {
  /** '' if there is none. */
  readonly email: string
  readonly state: 'active' | 'inactive' | 'pending_activation'
}

/** Why no link for a new password can be sent to somebody, by the word that the server would refuse it with; undefined if it can. */
export function resetObstacle(
  { email, state }: Recipient,
  canMail: boolean,
): 'smtp_unconfigured' | 'not_active' | 'no_email' | undefined {
  if (!canMail) return 'smtp_unconfigured'
  if (state !== 'active') return 'not_active'
  return email === '' ? 'no_email' : undefined
}

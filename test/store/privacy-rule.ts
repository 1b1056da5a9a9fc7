/** Of one podcast. A choice is the value of `public_subscription`, whatever it is; undefined where there is none. */
export interface Circumstances {
  readonly isSecret: boolean
  readonly isBlocked: boolean
  /** Of active users with a device that has it. */
  readonly current: readonly unknown[]
  /** Of everybody who has it or had it. */
  readonly past: readonly unknown[]
}

/**
 * docs/protocol.md#D56 in plain words. What is a secret or blocked is private unless everybody who has it publishes it; anything else is
 * public unless everybody who has it hides it. Where nobody has it any more, one of the past who hid it is enough.
 */
export function isPrivate({ isSecret, isBlocked, current, past }: Circumstances): boolean {
  if (isSecret || isBlocked) return current.length === 0 || current.some((choice) => choice !== true)
  if (current.length > 0) return current.every((choice) => choice === false)
  return past.includes(false)
}

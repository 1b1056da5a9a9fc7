import type { Actor } from '../../src/domain/accounts/ports/audit-log.ts'

/** Who administers where no account does. */
export const COMMAND_LINE: Actor = { name: undefined, via: 'command_line' }

import type { Actor } from '../../src/domain/accounts/ports/audit-log.ts'

/** Actor of administrative commands, which have no account. */
export const COMMAND_LINE: Actor = { name: undefined, via: 'command_line' }

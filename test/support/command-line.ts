import type { Actor } from '../../src/domain/account-ports.ts'

/** Who administers where no account does. */
export const COMMAND_LINE: Actor = { name: undefined, via: 'command_line' }

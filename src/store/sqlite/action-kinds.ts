import type { ActionKind } from '../../domain/episode-action-rules.ts'

/** The database keeps the index. Append only. */
export const ACTION_KINDS: readonly ActionKind[] = ['new', 'download', 'play', 'delete', 'flattr']

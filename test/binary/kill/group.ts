import type { Client } from '../../support/client.ts'
import { type Account, ask, check } from './account.ts'

/** Two devices whose sync group is repeatedly created and dissolved. */
export interface Group {
  readonly account: Account
  readonly uids: readonly [string, string]
  /** The last acknowledged state. */
  isJoined: boolean
  /** The state that an unanswered request asked for. */
  wanted: boolean | undefined
}

const path = ({ account }: Group) => `/api/2/sync-devices/${account.name}.json`

export async function toggleGroup(group: Group, client: Client): Promise<void> {
  const wanted = !group.isJoined
  group.wanted = wanted
  const body = wanted ? { synchronize: [group.uids] } : { 'stop-synchronize': [group.uids[0]] }
  await ask(client, 'POST', path(group), body)
  group.wanted = undefined
  group.isJoined = wanted
}

/** Checks that the group is as acknowledged, or as an unanswered request asked. */
export async function checkGroup(group: Group, client: Client): Promise<void> {
  const status = await ask(client, 'GET', path(group))
  const { synchronized } = status
  check(Array.isArray(synchronized), () => 'no list of groups')
  const isJoined = synchronized.length > 0
  const possible = [group.isJoined, group.wanted ?? group.isJoined]
  check(possible.includes(isJoined), () => `${group.account.name}: the group was lost: ${JSON.stringify(status)}`)
  group.isJoined = isJoined
  group.wanted = undefined
}

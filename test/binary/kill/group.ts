import type { Client } from '../../support/client.ts'
import { type Account, ask, check } from './account.ts'

/** Two devices whose group is made and dissolved again and again. */
export interface Group {
  readonly account: Account
  readonly uids: readonly [string, string]
  /** As acknowledged last. */
  isJoined: boolean
  /** What a request without an answer wanted. */
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

/** After a restart: as acknowledged, or as the request without an answer wanted it. */
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

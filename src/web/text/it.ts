import type { Text } from './en.ts'
import { account } from './it/account.ts'
import { admin } from './it/admin.ts'
import { common } from './it/common.ts'
import { connect } from './it/connect.ts'
import { devices } from './it/devices.ts'
import { discover } from './it/discover.ts'
import { door } from './it/door.ts'
import { home, podcast } from './it/home.ts'
import { listening } from './it/listening.ts'
import { refusals } from './it/refusals.ts'
import { subscribe } from './it/subscribe.ts'
import { transfer } from './it/transfer.ts'
import { upgrades } from './it/upgrades.ts'

const text: Text = {
  account,
  admin,
  common,
  connect,
  devices,
  door,
  discover,
  subscribe,
  transfer,
  upgrades,
  home,
  podcast,
  listening,
  refusals,
}

export default text

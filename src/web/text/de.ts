import { account } from './de/account.ts'
import { admin } from './de/admin.ts'
import { common } from './de/common.ts'
import { connect } from './de/connect.ts'
import { devices } from './de/devices.ts'
import { discover } from './de/discover.ts'
import { door } from './de/door.ts'
import { home, podcast } from './de/home.ts'
import { listening } from './de/listening.ts'
import { refusals } from './de/refusals.ts'
import { subscribe } from './de/subscribe.ts'
import { transfer } from './de/transfer.ts'
import { upgrades } from './de/upgrades.ts'
import type { Text } from './en.ts'

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

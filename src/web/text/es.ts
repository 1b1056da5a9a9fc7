import type { Text } from './en.ts'
import { account } from './es/account.ts'
import { admin } from './es/admin.ts'
import { common } from './es/common.ts'
import { connect } from './es/connect.ts'
import { devices } from './es/devices.ts'
import { discover } from './es/discover.ts'
import { door } from './es/door.ts'
import { home, podcast } from './es/home.ts'
import { listening } from './es/listening.ts'
import { refusals } from './es/refusals.ts'
import { subscribe } from './es/subscribe.ts'
import { transfer } from './es/transfer.ts'
import { upgrades } from './es/upgrades.ts'

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

import type { Text } from './en.ts'
import { account } from './fr/account.ts'
import { admin } from './fr/admin.ts'
import { common } from './fr/common.ts'
import { connect } from './fr/connect.ts'
import { devices } from './fr/devices.ts'
import { discover } from './fr/discover.ts'
import { door } from './fr/door.ts'
import { home, podcast } from './fr/home.ts'
import { listening } from './fr/listening.ts'
import { refusals } from './fr/refusals.ts'
import { subscribe } from './fr/subscribe.ts'
import { transfer } from './fr/transfer.ts'
import { upgrades } from './fr/upgrades.ts'

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

import { account } from './en/account.ts'
import { admin } from './en/admin.ts'
import { common } from './en/common.ts'
import { connect } from './en/connect.ts'
import { devices } from './en/devices.ts'
import { discover } from './en/discover.ts'
import { door } from './en/door.ts'
import { home, podcast } from './en/home.ts'
import { listening } from './en/listening.ts'
import { refusals } from './en/refusals.ts'
import { subscribe } from './en/subscribe.ts'
import { transfer } from './en/transfer.ts'
import { upgrades } from './en/upgrades.ts'

const text = {
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

export type Text = typeof text
export default text

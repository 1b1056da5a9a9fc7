import type { Arrival } from '../domain/server/doctor.ts'
import type { Clock } from '../platform/clock.ts'
import type { Services } from '../services.ts'
import type { AuthGuard } from './auth.ts'
import type { HintHub } from './live/hub.ts'
import type { Origins } from './origin.ts'

export interface RouteParts extends Services {
  readonly authGuard: AuthGuard
  readonly origins: Origins
  readonly clock: Clock
  readonly hub: HintHub
  readonly lastUnbelieved: () => Arrival | undefined
}

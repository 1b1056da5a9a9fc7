import { effect, signal } from '@preact/signals'
import { kept } from '../../state/kept.ts'
import { account } from '../../state/session.ts'
import { devices } from '../../state/subscriptions.ts'
import type { Order } from './arrange.ts'

export const ORDERS = ['title', 'newest', 'added'] as const
export const VIEWS = ['grid', 'list'] as const

export const order = kept<Order>('home.order', ORDERS, 'title')
export const view = kept<(typeof VIEWS)[number]>('home.view', VIEWS, 'grid')

/** As typed; for the visit, so that it is still there when somebody comes back from a podcast. */
export const filter = signal('')
/** ID of the device whose podcasts are shown; '' for all. For the visit, too. */
export const device = signal('')

// They are nobody else's.
effect(() => {
  if (!account.value) showAll()
})

/** `device`, unless it has been removed since it was chosen. */
export function chosenDevice(): string {
  return devices.value?.some(({ id }) => id === device.value) ? device.value : ''
}

export function showAll(): void {
  filter.value = ''
  device.value = ''
}

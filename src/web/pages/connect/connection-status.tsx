import { useSignal } from '@preact/signals'
import { call } from '../../api/client.ts'
import { ButtonLink } from '../../components/forms/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { usePoll } from '../../hooks/use-poll.ts'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { account } from '../../store/session.ts'
import { activeSince, type DeviceActivity } from './connection.ts'

/** Seconds between two requests. */
const PERIOD = 3

/** Waits until an app uses one of the user's devices, and shows which. */
export function ConnectionStatus() {
  const before = useSignal<readonly DeviceActivity[] | undefined>(undefined)
  const connected = useSignal<DeviceActivity | undefined>(undefined)
  const isOffline = useSignal(false)

  usePoll(async (end) => {
    try {
      const list = await call('listDevices', { path: { username: account.value?.username ?? '' }, signal: end })
      before.value ??= list
      connected.value = activeSince(before.value, list)[0] ?? connected.value
      isOffline.value = false
    } catch {
      // The next request may succeed.
      isOffline.value = !end.aborted
    }
  }, PERIOD)

  return (
    <div class="connection" role="status" data-connected={connected.value !== undefined}>
      <span class="connection-light">{connected.value && <Icon name="check" />}</span>
      <div class="connection-text">
        <p class="connection-title">
          {connected.value ? t('connect.connected', { device: connected.value.caption }) : t('connect.waiting')}
        </p>
        <p class="small">{textOf()}</p>
      </div>
      {connected.value && (
        <ButtonLink href={href('/devices')} icon="devices">
          {t('connect.toDevices')}
        </ButtonLink>
      )}
    </div>
  )

  function textOf(): string {
    if (connected.value) return t('connect.connectedText')
    return isOffline.value ? t('connect.offline') : t('connect.waitingText')
  }
}

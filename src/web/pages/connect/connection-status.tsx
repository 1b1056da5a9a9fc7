import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { ButtonLink } from '../../components/forms/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { ownName } from '../../store/session.ts'
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
      const list = await call('listDevices', { path: { username: ownName() }, signal: end })
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

/**
 * Calls `run` immediately and then every `seconds` while the tab is visible, never twice at the same time. `run` must
 * not reject, and should stop when its signal is aborted.
 */
function usePoll(run: (end: AbortSignal) => Promise<void>, seconds: number): void {
  useEffect(() => {
    const end = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let isRunning = false

    async function turn(): Promise<void> {
      clearTimeout(timer)
      if (isRunning || document.visibilityState === 'hidden') return
      isRunning = true
      await run(end.signal)
      isRunning = false
      if (!end.signal.aborted) timer = setTimeout(turn, seconds * 1000)
    }

    document.addEventListener('visibilitychange', turn, { signal: end.signal })
    void turn()
    return () => {
      end.abort()
      clearTimeout(timer)
    }
  }, [])
}

import { useSignal } from '@preact/signals'
import { call } from '../../api/client.ts'
import { ButtonLink } from '../../components/forms/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { usePoll } from '../../hooks/use-poll.ts'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { account } from '../../store/session.ts'
import { activeSince, type DeviceActivity } from './connection.ts'

/** Seconds from one look to the next. */
const PERIOD = 3

/** Waits for an app to use one of the person's devices, and says so. */
export function ConnectionStatus() {
  const before = useSignal<readonly DeviceActivity[] | undefined>(undefined)
  const made = useSignal<DeviceActivity | undefined>(undefined)
  const isOffline = useSignal(false)

  usePoll(async (end) => {
    try {
      const list = await call('listDevices', { path: { username: account.value?.username ?? '' }, signal: end })
      before.value ??= list
      made.value = activeSince(before.value, list)[0] ?? made.value
      isOffline.value = false
    } catch {
      // The next look may succeed.
      isOffline.value = !end.aborted
    }
  }, PERIOD)

  return (
    <div class="contact" role="status" data-made={made.value !== undefined}>
      <span class="contact-light">{made.value && <Icon name="check" />}</span>
      <div class="contact-text">
        <p class="contact-title">
          {made.value ? t('connect.made', { device: made.value.caption }) : t('connect.waiting')}
        </p>
        <p class="small">{textOf()}</p>
      </div>
      {made.value && (
        <ButtonLink href={href('/devices')} icon="devices">
          {t('connect.toDevices')}
        </ButtonLink>
      )}
    </div>
  )

  function textOf(): string {
    if (made.value) return t('connect.madeText')
    return isOffline.value ? t('connect.offline') : t('connect.waitingText')
  }
}

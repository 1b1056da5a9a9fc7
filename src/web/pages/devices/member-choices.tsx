import { DeviceIcon } from '../../parts/device-icon.tsx'
import { Checkbox } from '../../parts/field.tsx'
import { type Device, devices, groups } from '../../state/subscriptions.ts'
import { fill, language, plural, t } from '../../text/index.ts'
import { inOrder, listed } from './names.ts'
import { groupOf, isSame, type Wish } from './regroup.ts'

/** All devices, those of the group ticked. */
export function MemberChoices({ wish, onChoose }: { wish: Wish; onChoose: (wish: Wish) => void }) {
  const { edited, members } = wish

  function toggle(device: string, isMember: boolean): void {
    const next = isMember ? [...members, device] : members.filter((each) => each !== device)
    onChoose({ edited, members: inOrder(next) })
  }

  return (
    <fieldset class="members">
      <legend class="field-label">{t().devices.group.members}</legend>
      {(devices.value ?? []).map((device) => (
        <Checkbox
          key={device.id}
          label={<Member device={device} edited={edited} />}
          checked={members.includes(device.id)}
          onChange={(isMember) => toggle(device.id, isMember)}
        />
      ))}
    </fieldset>
  )
}

function Member({ device, edited }: { device: Device; edited: readonly string[] }) {
  const group = groupOf(groups.value, device.id)
  const others = isSame(group, edited) ? [] : group.filter((each) => each !== device.id)
  return (
    <span class="member">
      <DeviceIcon type={device.type} />
      <span>
        <bdi class="device-name">{device.caption}</bdi>
        <span class="muted small device-facts">
          <span>{plural(t().common.podcasts, device.subscriptions, language.value)}</span>
          {others.length > 0 && <span>{fill(t().devices.group.elsewhere, { devices: listed(others) })}</span>}
        </span>
      </span>
    </span>
  )
}

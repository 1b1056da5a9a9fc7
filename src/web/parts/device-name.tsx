import { Icon, type IconName } from './icon.tsx'

const KINDS = ['mobile', 'laptop', 'desktop', 'server'] as const satisfies readonly IconName[]

/** A device as people know it: what kind it is, and what they call it. */
export function DeviceName({ device: { caption, type } }: { device: { caption: string; type: string } }) {
  return (
    <span class="device-name">
      <Icon name={KINDS.find((kind) => kind === type) ?? 'other'} />
      <bdi>{caption}</bdi>
    </span>
  )
}

import { Icon, type IconName } from './icon.tsx'

const KINDS = ['mobile', 'laptop', 'desktop', 'server'] as const satisfies readonly IconName[]

/** `type` as the server names it. */
export function DeviceIcon({ type }: { type: string }) {
  return <Icon name={KINDS.find((kind) => kind === type) ?? 'other'} />
}

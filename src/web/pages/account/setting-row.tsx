import type { ComponentChildren } from 'preact'

interface SettingRowProps {
  readonly title: string
  /** The current value. */
  readonly value: ComponentChildren
  /** Buttons to change the value. */
  readonly children: ComponentChildren
}

/** A setting in a list, with buttons that are aligned across rows. */
export function SettingRow({ title, value, children }: SettingRowProps) {
  return (
    <li class="setting-row">
      <div>
        <h3>{title}</h3>
        <div class="muted small">{value}</div>
      </div>
      <div class="row">{children}</div>
    </li>
  )
}

import type { ComponentChildren } from 'preact'

interface SettingRowProps {
  readonly title: string
  /** What it is set to. */
  readonly value: ComponentChildren
  /** Buttons that change it. */
  readonly children: ComponentChildren
}

/** A setting in a list of several: what it is, and buttons whose edges are aligned. */
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

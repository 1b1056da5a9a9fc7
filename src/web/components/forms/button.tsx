import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from '../icon.tsx'

type Kind = 'main' | 'plain' | 'quiet' | 'danger'

interface Look {
  readonly kind?: Kind
  readonly icon?: IconName
  readonly children: ComponentChildren
}

interface Press {
  readonly onClick?: (event: MouseEvent) => unknown
  readonly disabled?: boolean
  readonly 'aria-expanded'?: boolean
  readonly 'aria-pressed'?: boolean
  readonly 'aria-controls'?: string
  readonly 'aria-live'?: 'polite'
}

type ButtonProps = Look &
  Press & {
    readonly type?: 'button' | 'submit'
    /** While it works: it keeps its place and cannot be pressed again. */
    readonly isBusy?: boolean
  }

export function Button({
  kind = 'plain',
  type = 'button',
  icon,
  isBusy = false,
  disabled = false,
  children,
  onClick,
  ...aria
}: ButtonProps) {
  return (
    <button
      type={type}
      class={`button button-${kind}`}
      disabled={isBusy || disabled}
      aria-busy={isBusy}
      onClick={(event) => void onClick?.(event)}
      {...aria}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

interface LinkProps extends Look {
  readonly href: string
  /** The name of the file, for what is to be kept instead of shown. */
  readonly download?: string
  /** For addresses of others: opens beside, and does not tell them where it came from. */
  readonly isExternal?: boolean
  /** For pages that the server makes itself, which the router must not take for ours. */
  readonly isServers?: boolean
}

export function ButtonLink({
  kind = 'plain',
  icon,
  href,
  download,
  isExternal = false,
  isServers = false,
  children,
}: LinkProps) {
  const beside = isExternal ? { target: '_blank', rel: 'noopener noreferrer' } : isServers ? { target: '_top' } : {}
  return (
    <a class={`button button-${kind}`} href={href} {...(download !== undefined && { download })} {...beside}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  )
}

type IconButtonProps = Press & {
  readonly icon: IconName
  /** What it does, for screen readers and as a hint. */
  readonly label: string
}

export function IconButton({ icon, label, disabled = false, onClick, ...aria }: IconButtonProps) {
  return (
    <button
      type="button"
      class="button button-quiet button-icon"
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={(event) => void onClick?.(event)}
      {...aria}
    >
      <Icon name={icon} />
    </button>
  )
}

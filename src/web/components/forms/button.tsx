import type { ComponentChildren } from 'preact'
import { t } from '../../locales/index.ts'
import { Icon, type IconName } from '../icon.tsx'

type Kind = 'main' | 'plain' | 'quiet' | 'danger'

interface ButtonStyle {
  readonly kind?: Kind
  readonly icon?: IconName | undefined
  readonly children?: ComponentChildren
}

interface Press {
  readonly onClick?: (event: MouseEvent) => unknown
  readonly disabled?: boolean
  /** For a button that keeps the focus although there is nothing to press. */
  readonly 'aria-disabled'?: boolean
  /** -1 for a button of mouse users, who find the same with the keyboard elsewhere. */
  readonly tabIndex?: -1
  readonly 'aria-expanded'?: boolean
  readonly 'aria-pressed'?: boolean
  readonly 'aria-controls'?: string
  readonly 'aria-live'?: 'polite'
}

type ButtonProps = ButtonStyle &
  Press & {
    readonly type?: 'button' | 'submit'
    /** Disables the button while its action is running. */
    readonly isBusy?: boolean
    /** For a button with only an icon: what it does, for screen readers and as a tooltip. */
    readonly label?: string
    /** The tooltip, if it is not the label. */
    readonly tooltip?: string
    /** What the button is about, for screen readers, where there are several with the same text as their only child. */
    readonly about?: string
  }

export function Button({
  kind = 'plain',
  type = 'button',
  icon,
  isBusy = false,
  disabled = false,
  label,
  tooltip = label,
  about,
  children,
  onClick,
  ...aria
}: ButtonProps) {
  return (
    <button
      type={type}
      class={`button button-${kind}${label === undefined ? '' : ' button-icon'}`}
      aria-label={about === undefined ? label : t('common.pair', { what: String(children), value: about })}
      title={tooltip}
      disabled={isBusy || disabled}
      aria-busy={isBusy}
      onClick={(event) => void onClick?.(event)}
      {...aria}
    >
      {icon && <Icon name={icon} />}
      {about === undefined ? children : <span>{children}</span>}
    </button>
  )
}

interface LinkProps extends ButtonStyle {
  readonly href: string
  /** The file name, for a link that downloads. */
  readonly download?: string
  /** For other sites: opens in a new tab and sends no referrer. */
  readonly isExternal?: boolean
  /** For pages that the server makes, which the router must not handle. */
  readonly isServerPage?: boolean
  readonly onOpen?: (() => void) | undefined
}

export function ButtonLink({
  kind = 'plain',
  icon,
  href,
  download,
  isExternal = false,
  isServerPage = false,
  onOpen,
  children,
}: LinkProps) {
  const target = isExternal ? { target: '_blank', rel: 'noopener noreferrer' } : isServerPage ? { target: '_top' } : {}
  return (
    <a
      class={`button button-${kind}`}
      href={href}
      {...(download !== undefined && { download })}
      {...target}
      onClick={onOpen}
    >
      {icon && <Icon name={icon} />}
      {children}
    </a>
  )
}

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
  /** Use instead of `disabled` if the button should keep the focus. */
  readonly 'aria-disabled'?: boolean
  /** -1 if keyboard users have another way to do the same. */
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
    /** Accessible name and tooltip of a button that shows only an icon. */
    readonly label?: string
    readonly tooltip?: string
    /** Subject of the button, for screen readers, if several buttons have the same text. The text is the only child. */
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
  /** File name for a download. */
  readonly download?: string
  /** Opens another site in a new tab without a referrer. */
  readonly isExternal?: boolean
  /** The router must not handle this link: the server renders the page. */
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

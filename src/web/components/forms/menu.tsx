import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { useBackToClose, useLinkInPlace } from '../../hooks/use-back.ts'
import { Icon, type IconName } from '../icon.tsx'
import { closeDialog } from './dialog.tsx'
import { itemByKey } from './menu-keys.ts'

interface MenuProps {
  /** Classes of the button. The class of the menu is the last one plus `-items`. */
  readonly class: string
  /** Accessible name of the button and the menu. */
  readonly name: string
  readonly content: ComponentChildren
  /** `MenuItem`, `MenuLink` and `MenuChoice`. Pages with many menus pass a function, called when the menu opens. */
  readonly children: ComponentChildren | (() => ComponentChildren)
}

/**
 * Menu button of the ARIA Authoring Practices: arrow keys, first letters, Escape. A click elsewhere or the back key of
 * a phone also closes the menu.
 */
export function Menu({ class: classes, name, content, children }: MenuProps) {
  const id = useId()
  const isOpen = useSignal(false)
  const isMade = useSignal(typeof children !== 'function')
  const button = useRef<HTMLButtonElement>(null)
  const menu = useRef<HTMLDivElement>(null)
  const close = () => menu.current?.hidePopover()
  useBackToClose(isOpen.value, close)

  function toggled({ newState }: { readonly newState: string }): void {
    isOpen.value = newState === 'open'
    if (isOpen.value && !menu.current?.matches(':focus-within')) firstOf(menu.current)?.focus()
    if (!isOpen.value && document.activeElement === document.body) button.current?.focus()
  }

  function press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey) return
    const items = itemsOf(menu.current)
    const current = items.findIndex((item) => item.matches(':focus'))
    const next = itemByKey(
      event.key,
      current,
      items.map(({ textContent }) => textContent),
    )
    if (event.key === 'Tab') {
      button.current?.focus()
      close()
    } else if (next !== undefined) {
      event.preventDefault()
      items[next]?.focus()
    }
  }

  return (
    <>
      <button
        type="button"
        class={classes}
        ref={button}
        popovertarget={id}
        aria-haspopup="menu"
        aria-expanded={isOpen.value}
        aria-label={name}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
          event.preventDefault()
          menu.current?.showPopover()
          // The toggle event arrives later.
          firstOf(menu.current)?.focus()
        }}
      >
        {content}
      </button>
      <div
        class={`menu ${classes.split(' ').at(-1)}-items`}
        id={id}
        ref={menu}
        popover="auto"
        role="menu"
        aria-label={name}
        tabIndex={-1}
        onBeforeToggle={() => {
          isMade.value = true
        }}
        onToggle={toggled}
        onKeyDown={press}
      >
        {isMade.value && (typeof children === 'function' ? children() : children)}
      </div>
    </>
  )
}

function itemsOf(menu: HTMLElement | null): HTMLElement[] {
  return [...(menu?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])]
}

/** Returns the item to focus when the menu opens: the first, or the checked one if the menu begins with a choice. */
function firstOf(menu: HTMLElement | null): HTMLElement | undefined {
  const [first] = itemsOf(menu)
  return first?.closest('fieldset')?.querySelector<HTMLElement>('[aria-checked="true"]') ?? first
}

function closeMenu({ currentTarget }: Event): void {
  if (currentTarget instanceof Element) currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()
}

interface ItemProps {
  readonly icon?: IconName
  readonly children: ComponentChildren
}

export function MenuItem({ icon, children, onClick }: ItemProps & { readonly onClick: () => unknown }) {
  return (
    <button
      type="button"
      class="menu-item"
      role="menuitem"
      tabIndex={-1}
      onClick={(event) => {
        closeMenu(event)
        onClick()
      }}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

export function MenuLink({ icon, children, href }: ItemProps & { readonly href: string }) {
  const replace = useLinkInPlace()
  return (
    <a
      class="menu-item"
      role="menuitem"
      tabIndex={-1}
      href={href}
      onClick={(event) => {
        replace(event)
        closeMenu(event)
        closeDialog(event)
      }}
    >
      {icon && <Icon name={icon} />}
      {children}
    </a>
  )
}

interface MenuChoiceProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly options: readonly { readonly value: T; readonly label: string; readonly lang?: string }[]
  readonly onChoose: (value: T) => unknown
}

/** Choice of one value in a menu. The menu stays open so that users can try several. */
export function MenuChoice<T extends string>({ label, value, options, onChoose }: MenuChoiceProps<T>) {
  const id = useId()
  return (
    <fieldset class="menu-choice" aria-labelledby={id}>
      <span class="menu-label muted small" id={id}>
        {label}
      </span>
      {options.map((option) => (
        <button
          type="button"
          class="chip chip-choice"
          role="menuitemradio"
          key={option.value}
          tabIndex={-1}
          lang={option.lang}
          aria-checked={option.value === value}
          onClick={() => onChoose(option.value)}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  )
}

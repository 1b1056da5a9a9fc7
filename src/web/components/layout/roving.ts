import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import { type Place, placeByKey } from './roving-keys.ts'

/**
 * Makes the controls of all cards in a list a single tab stop. The arrow keys move between them, and Tab returns to the
 * one focused last. The children of the list are the cards.
 */
export function useRovingFocus(list: RefObject<HTMLElement | null>): void {
  useEffect(() => (list.current ? rove(list.current) : undefined), [])
}

function rove(list: HTMLElement): () => void {
  let place: Place = { card: 0, control: 0 }
  let stop: HTMLElement | undefined
  let hasFocus = false

  const cards = () => [...list.children].map(controlsOf)

  /** Puts the control at `place` into the tab order, or the nearest one if the list has become shorter. */
  function choose(all: readonly HTMLElement[][]): void {
    const card = Math.min(place.card, all.length - 1)
    const controls = all[card] ?? []
    stop = controls[Math.min(place.control, controls.length - 1)]
    for (const control of all.flat()) control.tabIndex = control === stop ? 0 : -1
  }

  function changed(): void {
    const wasRemoved = hasFocus && stop?.isConnected === false
    const all = cards()
    if (stop?.isConnected) place = placeOf(stop, all) ?? place
    choose(all)
    if (wasRemoved && document.activeElement === document.body) stop?.focus({ preventScroll: true })
  }

  function focused({ target }: FocusEvent): void {
    const all = cards()
    const now = placeOf(target, all)
    if (!now) return
    place = now
    hasFocus = true
    choose(all)
  }

  function blurred(): void {
    // Chromium also fires `focusout` for elements being removed. Their focus must go to a neighbour.
    queueMicrotask(() => {
      if (stop?.isConnected) hasFocus = list.contains(document.activeElement)
    })
  }

  function press(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return
    const all = cards()
    const from = placeOf(event.target, all)
    const isRightToLeft = getComputedStyle(list).direction === 'rtl'
    const counts = all.map((controls) => controls.length)
    const to = from && placeByKey(event.key, from, counts, isRightToLeft)
    if (!to) return
    event.preventDefault()
    all[to.card]?.[to.control]?.focus()
  }

  const observer = new MutationObserver(changed)
  observer.observe(list, { childList: true, subtree: true })
  list.addEventListener('focusin', focused)
  list.addEventListener('focusout', blurred)
  list.addEventListener('keydown', press)
  changed()
  return () => {
    observer.disconnect()
    list.removeEventListener('focusin', focused)
    list.removeEventListener('focusout', blurred)
    list.removeEventListener('keydown', press)
  }
}

/** Menus and dialogs opened by a card handle keys themselves. */
const CONTROLS = ':is(a[href], button):not([role="menu"] *, dialog *)'

function controlsOf(card: Element): HTMLElement[] {
  return [...card.querySelectorAll<HTMLElement>(CONTROLS)]
}

function placeOf(element: EventTarget | null, all: readonly HTMLElement[][]): Place | undefined {
  if (!(element instanceof HTMLElement)) return undefined
  const card = all.findIndex((controls) => controls.includes(element))
  return card === -1 ? undefined : { card, control: all[card]?.indexOf(element) ?? 0 }
}

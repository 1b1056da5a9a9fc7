import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { adjacentIndex, type Command, capturesKeys, createKeyReader, PAGE_KEYS } from '../hooks/use-key-commands.ts'
import { t } from '../locales/index.ts'
import { href } from '../store/paths.ts'
import { shortcuts } from '../store/preferences.ts'
import { Button } from './forms/button.tsx'
import { closeDialog, Dialog, DialogActions } from './forms/dialog.tsx'
import { Checkbox } from './forms/field.tsx'

// One for all pages: the second key may come when the page has changed already.
const readKey = createKeyReader()

/** Single keys for what is done often, and the list of them. Links with `data-item` are those that `j` and `k` go through. */
export function Shortcuts() {
  const { route } = useLocation()
  const isHelpOpen = useSignal(false)

  /** Returns whether there was something to do. */
  function run(command: Command): boolean {
    if (command.kind === 'search') return focus(firstShown('[data-search]'))
    if (command.kind === 'message') return focus(shown('.toast').at(-1)?.querySelector('button') ?? undefined)
    if (command.kind === 'move') return focus(itemBeside(command.by))
    if (command.kind === 'go') route(href(command.path))
    else isHelpOpen.value = true
    return true
  }

  useEffect(() => {
    function press(event: KeyboardEvent): void {
      if (shortcuts.value === 'off' || event.defaultPrevented || event.isComposing || isBusyElsewhere()) return
      const { key, timeStamp: at, ctrlKey, altKey, metaKey } = event
      const command = readKey({ key, at, hasModifier: ctrlKey || altKey || metaKey })
      if (command && run(command)) event.preventDefault()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])

  if (!isHelpOpen.value) return null
  return (
    <Help
      onClose={() => {
        isHelpOpen.value = false
      }}
    />
  )
}

function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={t('common.shortcuts.title')} onClose={onClose} isRead>
      <dl class="shortcuts">
        <Row text={t('common.shortcuts.search')}>
          <kbd>/</kbd>
        </Row>
        <Row text={t('common.shortcuts.next')}>
          <kbd>j</kbd>
        </Row>
        <Row text={t('common.shortcuts.previous')}>
          <kbd>k</kbd>
        </Row>
        {PAGE_KEYS.map(([letter, path, name]) => (
          <Row key={path} text={t('common.shortcuts.go', { page: t(`common.nav.${name}`) })}>
            <kbd>g</kbd> <kbd>{letter}</kbd>
          </Row>
        ))}
        <Row text={t('common.shortcuts.message')}>
          <kbd>u</kbd>
        </Row>
        <Row text={t('common.shortcuts.help')}>
          <kbd>?</kbd>
        </Row>
      </dl>
      <Checkbox
        label={t('common.shortcuts.on')}
        checked={shortcuts.value === 'on'}
        onChange={(isOn) => {
          shortcuts.value = isOn ? 'on' : 'off'
        }}
      />
      <DialogActions>
        <Button onClick={closeDialog}>{t('common.close')}</Button>
      </DialogActions>
    </Dialog>
  )
}

function Row({ text, children }: { text: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{children}</dt>
      <dd>{text}</dd>
    </div>
  )
}

/** Whether somebody writes or answers a question. */
function isBusyElsewhere(): boolean {
  const { activeElement } = document
  return document.querySelector('dialog[open]') !== null || (activeElement !== null && capturesKeys(activeElement))
}

/** The next item from the one that has the focus, on its link or another control of it. */
function itemBeside(by: 1 | -1): HTMLElement | undefined {
  const items = shown('[data-item]')
  const current = items.findIndex((item) => (item.closest('li') ?? item).contains(document.activeElement))
  return items[adjacentIndex(current, items.length, by)]
}

function firstShown(selector: string): HTMLElement | undefined {
  return shown(selector)[0]
}

function shown(selector: string): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(selector)].filter((element) => element.checkVisibility())
}

function focus(element: HTMLElement | undefined): boolean {
  element?.focus()
  return element !== undefined
}

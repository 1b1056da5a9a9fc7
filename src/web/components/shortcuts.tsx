import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { setTo } from '../hooks/setters.ts'
import { t } from '../locales/index.ts'
import { href } from '../store/paths.ts'
import { controlPlayer } from '../store/player.ts'
import { shortcuts } from '../store/preferences.ts'
import { Dialog } from './forms/dialog.tsx'
import { ShortcutsChoice } from './forms/preferences.tsx'
import {
  ALL_PAGE_KEYS,
  adjacentIndex,
  type Command,
  capturesKeys,
  createKeyReader,
  isBrowserKey,
} from './shortcut-keys.ts'

// Shared by all pages because the page may change between two keys.
const readKey = createKeyReader()
const isHelpOpen = signal(false)

/** Opens the dialog that lists the shortcuts. */
export const openShortcuts = setTo(isHelpOpen, true)

/** Keyboard shortcuts, and the dialog that lists them. `j` and `k` move between links with `data-item`. */
export function Shortcuts() {
  const { route } = useLocation()

  /** Runs a command. Returns whether it had an effect. */
  function run(command: Command): boolean {
    if (command.kind === 'search') return focus(visible('[data-search]')[0])
    if (command.kind === 'message') return focus(visible('.toast').at(-1)?.querySelector('button') ?? undefined)
    if (command.kind === 'move') return focus(nextItem(command.by))
    if (command.kind === 'player') return controlPlayer(command.key)
    if (command.kind === 'go') route(href(command.path))
    else isHelpOpen.value = true
    return true
  }

  useEffect(() => {
    function press(event: KeyboardEvent): void {
      if (shortcuts.value === 'off' || event.defaultPrevented || event.isComposing || areKeysTaken()) return
      const { key, timeStamp: at, ctrlKey, altKey, metaKey, shiftKey } = event
      if (isBrowserKey(key) && (shiftKey || isControl(document.activeElement))) return
      const command = readKey({ key, at, hasModifier: ctrlKey || altKey || metaKey })
      if (command && run(command)) event.preventDefault()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])

  if (!isHelpOpen.value) return null
  return <Help onClose={setTo(isHelpOpen, false)} />
}

function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={t('common.shortcuts.title')} onClose={onClose} isText isLight>
      <div class="shortcut-groups">
        <Group title={t('common.shortcuts.general')}>
          <Row keys={['/']} text={t('common.shortcuts.search')} />
          <Row keys={['j']} text={t('common.shortcuts.next')} />
          <Row keys={['k']} text={t('common.shortcuts.previous')} />
          <Row keys={['←', '→']} text={t('common.shortcuts.line')} />
          <Row keys={['u']} text={t('common.shortcuts.message')} />
          <Row keys={['?']} text={t('common.shortcuts.help')} />
        </Group>
        <Group title={t('common.shortcuts.player')}>
          <Row keys={['p', t('common.shortcuts.space')]} text={t('common.shortcuts.playPause')} />
          <Row keys={['n']} text={t('queue.next')} />
          <Row keys={[',', '.', '←', '→']} text={t('common.shortcuts.seek')} />
          <Row keys={['<', '>']} text={t('common.shortcuts.speed')} />
        </Group>
        <Group title={t('common.nav.inbox')}>
          <Row keys={['e']} text={t('common.shortcuts.mark')} />
          <Row keys={['p']} text={t('common.shortcuts.play')} />
          <Row keys={['x']} text={t('common.shortcuts.select')} />
          <Row keys={['o']} text={t('common.shortcuts.open')} />
        </Group>
        <Group title={t('common.shortcuts.pages')}>
          {ALL_PAGE_KEYS.map(([letter, path, name]) => (
            <Row key={path} keys={['g', letter]} text={t(`common.nav.${name}`)} />
          ))}
        </Group>
      </div>
      <ShortcutsChoice />
    </Dialog>
  )
}

function Group({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="stack-small">
      <h3>{title}</h3>
      <dl class="shortcuts stack-small">{children}</dl>
    </section>
  )
}

function Row({ keys, text }: { keys: readonly string[]; text: string }) {
  return (
    <div>
      <dt>
        {keys.map((key) => (
          <>
            <kbd>{key}</kbd>{' '}
          </>
        ))}
      </dt>
      <dd>{text}</dd>
    </div>
  )
}

/** Whether the user is typing or a dialog is open. */
function areKeysTaken(): boolean {
  const { activeElement } = document
  return document.querySelector('dialog[open]') !== null || (activeElement !== null && capturesKeys(activeElement))
}

/** Whether an element handles keys itself. */
function isControl(element: Element | null): boolean {
  return (
    element?.matches('a, button, input, select, textarea, summary, audio, video, [role], [contenteditable]') ?? false
  )
}

/** Returns the link of the list item after or before the focused one. */
function nextItem(step: 1 | -1): HTMLElement | undefined {
  const items = visible('[data-item]')
  const current = items.findIndex((item) => (item.closest('li') ?? item).contains(document.activeElement))
  return items[adjacentIndex(current, items.length, step)]
}

function visible(selector: string): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(selector)].filter((element) => element.checkVisibility())
}

function focus(element: HTMLElement | undefined): boolean {
  element?.focus()
  return element !== undefined
}

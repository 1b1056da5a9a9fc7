import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { PlayerSlot } from './components/player/player-slot.tsx'
import { Brand, SideNavigation, TabBar } from './components/shell/navigation.tsx'
import { OfflineNote } from './components/shell/offline-note.tsx'
import { PersonMenu } from './components/shell/person-menu.tsx'
import { Toasts } from './components/shell/toasts.tsx'
import { Shortcuts } from './components/shortcuts.tsx'
import { isNarrow } from './hooks/narrow.ts'
import { t } from './locales/index.ts'
import { shortcuts } from './store/preferences.ts'

/**
 * What is around every page of users who are signed in: a side bar or, on narrow screens, a head and tabs at the foot.
 * The foot stays at the end of the window, and the page leaves it room at its own end, so that it covers nothing for good.
 */
export function Shell({ children }: { children: ComponentChildren }) {
  const foot = useRef<HTMLDivElement>(null)
  useEffect(() => tellHeight(foot), [])
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        {t('common.skip')}
      </button>
      <div class="shell" data-keys={shortcuts.value}>
        <header class="shell-side">
          <Brand />
          {!isNarrow.value && <SideNavigation />}
          <PersonMenu />
        </header>
        <main class="shell-main" id="main" tabIndex={-1}>
          <OfflineNote />
          {children}
        </main>
        <div class="shell-foot" ref={foot}>
          <Toasts />
          {/* Between the messages, which must not cover it, and the tabs. */}
          <PlayerSlot />
          {isNarrow.value && <TabBar />}
        </div>
      </div>
      <Shortcuts />
    </>
  )
}

/** Focuses the content. Not a link, because `#main` is relative to the base address and would lead to another page. */
function skip(): void {
  document.getElementById('main')?.focus()
}

/** Tells the style sheet the height of the foot, which depends on messages and player. */
function tellHeight(foot: RefObject<HTMLElement | null>): () => void {
  const observer = new ResizeObserver(([entry]) => {
    const height = entry?.borderBoxSize[0]?.blockSize ?? 0
    document.documentElement.style.setProperty('--foot-height', `${height}px`)
  })
  if (foot.current) observer.observe(foot.current)
  return () => observer.disconnect()
}

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
 * Layout around all pages of signed-in users: a side bar or, on narrow screens, a header and a tab bar in the footer.
 * The footer stays at the bottom of the window, and pages have bottom padding for it, so that it hides no content.
 */
export function Shell({ children }: { children: ComponentChildren }) {
  const foot = useRef<HTMLDivElement>(null)
  useEffect(() => publishHeight(foot), [])
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

/** Focuses the content. A link to `#main` would be relative to the base URL and lead to another page. */
function skip(): void {
  document.getElementById('main')?.focus()
}

/** Exposes the footer's height, which depends on messages and player, as a CSS variable. */
function publishHeight(foot: RefObject<HTMLElement | null>): () => void {
  const observer = new ResizeObserver(([entry]) => {
    const height = entry?.borderBoxSize[0]?.blockSize ?? 0
    document.documentElement.style.setProperty('--foot-height', `${height}px`)
  })
  if (foot.current) observer.observe(foot.current)
  return () => observer.disconnect()
}

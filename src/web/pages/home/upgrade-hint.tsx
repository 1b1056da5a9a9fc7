import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { attempt } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { useSearchParam } from '../../hooks/use-search-param.ts'
import { t } from '../../locales/index.ts'
import { accountKey, href } from '../../store/paths.ts'
import { ownName } from '../../store/session.ts'
import { fetchUpgrades } from '../../store/upgrades.ts'

/** Offers to switch podcasts to a better address, until the user dismisses it. */
export function UpgradeHint() {
  const key = accountKey('upgrades-dismissed', ownName())
  const { route } = useLocation()
  const isOpen = useSearchParam('upgrades') !== ''
  const count = useSignal(0)
  const Content = useSignal<ComponentType<{ onClose: () => void }> | undefined>(undefined)
  useEffect(() => {
    const controller = new AbortController()
    fetchUpgrades(controller.signal).then(
      (list) => {
        count.value = list.length
      },
      // It is no more than a hint.
      () => undefined,
    )
    return () => controller.abort()
  }, [isOpen])
  useEffect(() => {
    if (isOpen)
      void attempt(async () => {
        const { Upgrades } = await import('../rest.ts')
        Content.value = Upgrades
      })
  }, [isOpen])

  function dismiss(): void {
    localStorage.setItem(key, String(count.value))
    count.value = 0
  }

  const dialog = isOpen && Content.value && <Content.value onClose={() => route(href('/'), true)} />
  // More of them than there were then are worth another word.
  if (count.value <= Number(localStorage.getItem(key))) return dialog || null
  return (
    <div class="row home-hint">
      <Icon name="upgrades" />
      <p>{t('home.upgrades', { n: count.value })}</p>
      <Button kind="quiet" aria-haspopup="dialog" onClick={() => route(href('/', { upgrades: 'open' }), true)}>
        {t('home.showUpgrades')}
      </Button>
      <Button kind="quiet" icon="cross" label={t('home.dismiss')} onClick={dismiss} />
      {dialog}
    </div>
  )
}

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { t } from '../../locales/index.ts'
import { accountKey, href } from '../../store/paths.ts'
import { ownName } from '../../store/session.ts'
import { fetchUpgrades } from '../../store/upgrades.ts'

/** Says that podcasts can be switched to a better address, until somebody does not want to know it. */
export function UpgradeHint() {
  const key = accountKey('upgrades-dismissed', ownName())
  const count = useSignal(0)
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
  }, [])

  function dismiss(): void {
    localStorage.setItem(key, String(count.value))
    count.value = 0
  }

  // More of them than there were then are worth another word.
  if (count.value <= Number(localStorage.getItem(key))) return null
  return (
    <div class="home-hint">
      <Icon name="upgrades" />
      <p>{t('home.upgrades', { n: count.value })}</p>
      <ButtonLink kind="quiet" href={href('/upgrades')}>
        {t('home.showUpgrades')}
      </ButtonLink>
      <Button kind="quiet" icon="cross" label={t('home.dismiss')} onClick={dismiss} />
    </div>
  )
}

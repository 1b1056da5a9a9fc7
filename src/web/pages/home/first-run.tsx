import { useEffect } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { AddForm } from '../../components/add/add-form.tsx'
import { ButtonLink } from '../../components/forms/button.tsx'
import { restoreFocus } from '../../components/forms/focus.ts'
import { Icon, Mark } from '../../components/icon.tsx'
import { useQuery } from '../../hooks/use-query.ts'
import { ago, t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { findRemoval } from './removal.ts'

/** For users without podcasts: the two ways to get some, and two more for those who know what they look for. */
export function FirstRun() {
  // It is gone as soon as there is a podcast, and the form had the focus.
  useEffect(() => () => restoreFocus(document.querySelector('h1')), [])
  return (
    <div class="home-empty">
      <div class="home-welcome">
        <Mark />
        <h2>{t('home.emptyTitle')}</h2>
      </div>
      <Removal />
      <ul class="home-ways">
        <li class="card stack">
          <h3>{t('home.emptyAdd')}</h3>
          <AddForm onAdded={() => undefined} />
        </li>
        <li class="card stack">
          <h3>{t('home.emptyApp')}</h3>
          <p class="muted">{t('home.emptyAppText')}</p>
          <ButtonLink icon="connect" href={href('/connect')}>
            {t('home.emptyConnect')}
          </ButtonLink>
        </li>
      </ul>
      <p class="row home-more">
        <a href={href('/transfer')}>{t('home.emptyImport')}</a>
        <a href={href('/discover')}>{t('home.emptyDiscover')}</a>
      </p>
    </div>
  )
}

/** Where the podcasts have gone that were here, since an app can take away all of them at once, and how they come back. */
function Removal() {
  // Without the answer the page is that of a new account.
  const { data } = useQuery((signal) => call('listChanges', { query: {}, signal }))
  const removal = findRemoval(data.value?.items ?? [])
  if (!removal) return null
  return (
    <div class="home-hint" role="status">
      <Icon name="undo" />
      <p>{t('home.removed', { n: removal.count, when: ago(removal.time) })}</p>
      <ButtonLink kind="quiet" href={href('/activity')}>
        {t('home.getBack')}
      </ButtonLink>
    </div>
  )
}

import { useEffect } from 'preact/hooks'
import { AddForm } from '../../components/add/add-form.tsx'
import { ButtonLink } from '../../components/forms/button.tsx'
import { restoreFocus } from '../../components/forms/focus.ts'
import { Mark } from '../../components/icon.tsx'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { RemovalNote } from './removal-note.tsx'

/** The home page of users without podcasts: two main ways to get some, and two more for experienced users. */
export function FirstRun({ onChange }: { readonly onChange: () => Promise<unknown> }) {
  // The form had the focus, and disappears as soon as there is a podcast.
  useEffect(() => () => restoreFocus(document.querySelector('h1')), [])
  return (
    <div class="home-empty stack-large">
      <div class="empty home-welcome">
        <Mark />
        <h2>{t('home.emptyTitle')}</h2>
      </div>
      <RemovalNote remaining={0} onChange={onChange} />
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

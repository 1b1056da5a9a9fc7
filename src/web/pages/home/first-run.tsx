import { AddForm } from '../../components/add/add-form.tsx'
import { ButtonLink } from '../../components/forms/button.tsx'
import { Mark } from '../../components/icon.tsx'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'

/** For users without podcasts: the two ways to get some, and two more for those who know what they look for. */
export function FirstRun() {
  return (
    <div class="home-empty">
      <div class="home-welcome">
        <Mark />
        <h2>{t('home.emptyTitle')}</h2>
      </div>
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

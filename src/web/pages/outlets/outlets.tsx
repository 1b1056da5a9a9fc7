import { Page } from '../../components/layout/page.tsx'
import { t } from '../../locales/index.ts'
import { PrivateFeeds } from './private-feeds.tsx'
import { Webhook } from './webhook.tsx'

/** The page of private feeds and notifications. */
export default function Outlets() {
  return (
    <Page title={t('outlets.title')} lead={t('outlets.lead')}>
      <div class="sections">
        <PrivateFeeds />
        <Webhook />
      </div>
    </Page>
  )
}

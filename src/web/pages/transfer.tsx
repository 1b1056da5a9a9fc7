import { Page } from '../parts/page.tsx'
import { t } from '../text/index.ts'
import { Export } from './transfer/export.tsx'
import { Import } from './transfer/import.tsx'

/** Lists of podcasts, from elsewhere and to elsewhere. */
export default function Transfer() {
  const texts = t().transfer
  return (
    <Page title={texts.title} lead={texts.lead}>
      <div class="transfer">
        <Import />
        <Export />
      </div>
    </Page>
  )
}

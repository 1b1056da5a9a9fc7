import { AdminOnly } from '../parts/admin-only.tsx'
import { t } from '../text/index.ts'
import { Feeds } from './admin-feeds/feeds.tsx'

export default function AdminFeeds() {
  return (
    <AdminOnly title={t().admin.feeds.title}>
      <Feeds />
    </AdminOnly>
  )
}

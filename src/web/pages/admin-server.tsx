import { AdminOnly } from '../parts/admin-only.tsx'
import { t } from '../text/index.ts'
import { Server } from './admin-server/server.tsx'

export default function AdminServer() {
  return (
    <AdminOnly title={t().admin.server.title}>
      <Server />
    </AdminOnly>
  )
}

import { AdminOnly } from '../parts/admin-only.tsx'
import { t } from '../text/index.ts'
import { Users } from './admin-users/users.tsx'

export default function AdminUsers() {
  return (
    <AdminOnly title={t().admin.users.title}>
      <Users />
    </AdminOnly>
  )
}

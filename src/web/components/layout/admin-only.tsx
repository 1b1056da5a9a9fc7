import type { ComponentChildren } from 'preact'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { account } from '../../store/session.ts'
import { EmptyState } from '../feedback/notice.tsx'
import { ButtonLink } from '../forms/button.tsx'
import { Page } from './page.tsx'

/** Shows its content to administrators only. For other users it renders an explanation, and nothing is loaded. */
export function AdminOnly({ title, children }: { title: string; children: ComponentChildren }) {
  if (account.value?.is_admin) return <>{children}</>
  return (
    <Page title={title}>
      <EmptyState title={t('admin.only.title')} text={t('admin.only.text')}>
        <ButtonLink kind="main" href={href('/')}>
          {t('common.errors.home')}
        </ButtonLink>
      </EmptyState>
    </Page>
  )
}

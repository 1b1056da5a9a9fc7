import type { ComponentChildren } from 'preact'
import { href } from '../../store/paths.ts'
import { account } from '../../store/session.ts'
import { t } from '../../text/index.ts'
import { Empty } from '../feedback/notice.tsx'
import { ButtonLink } from '../forms/button.tsx'
import { Page } from './page.tsx'

/** What only administrators get to see; others are told so before anything is asked for. */
export function AdminOnly({ title, children }: { title: string; children: ComponentChildren }) {
  const texts = t().admin.only
  if (account.value?.is_admin) return <>{children}</>
  return (
    <Page title={title}>
      <Empty title={texts.title} text={texts.text}>
        <ButtonLink kind="main" href={href('/')}>
          {t().common.errors.home}
        </ButtonLink>
      </Empty>
    </Page>
  )
}

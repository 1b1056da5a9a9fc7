import type { ComponentChildren } from 'preact'
import { href } from '../state/base.ts'
import { account } from '../state/session.ts'
import { t } from '../text/index.ts'
import { ButtonLink } from './button.tsx'
import { Empty } from './notice.tsx'
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

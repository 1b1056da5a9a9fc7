import { href } from '../state/base.ts'
import { t } from '../text/index.ts'
import { ButtonLink } from './button.tsx'
import { Empty } from './notice.tsx'
import { Page } from './page.tsx'

/** For an address that leads to nothing. */
export function NothingHere() {
  const { errors } = t().common
  return (
    <Page title={errors.notFoundTitle}>
      <Empty text={errors.notFound}>
        <ButtonLink kind="main" href={href('/')}>
          {errors.home}
        </ButtonLink>
      </Empty>
    </Page>
  )
}

import { Button, ButtonLink } from '../../parts/button.tsx'
import { Empty } from '../../parts/notice.tsx'
import { href } from '../../state/base.ts'
import { t } from '../../text/index.ts'

/** On the first day: all the ways to a podcast. */
export function NothingYet({ onAdd }: { onAdd: () => void }) {
  const texts = t().home
  return (
    <div class="home-empty">
      <Empty title={texts.emptyTitle} text={texts.emptyText}>
        <ButtonLink kind="main" icon="connect" href={href('/connect')}>
          {texts.emptyConnect}
        </ButtonLink>
        <ButtonLink icon="discover" href={href('/discover')}>
          {texts.emptyDiscover}
        </ButtonLink>
        <ButtonLink icon="transfer" href={href('/transfer')}>
          {texts.emptyImport}
        </ButtonLink>
        <Button icon="plus" onClick={onAdd}>
          {texts.addUrl}
        </Button>
      </Empty>
    </div>
  )
}

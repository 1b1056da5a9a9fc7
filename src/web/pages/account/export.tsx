import { ButtonLink } from '../../parts/button.tsx'
import { Section } from '../../parts/section.tsx'
import { href } from '../../state/base.ts'
import { account } from '../../state/session.ts'
import { t } from '../../text/index.ts'

/** Everything as a file: the browser takes it straight from the server, however large it is. */
export function ExportData() {
  const texts = t().account.export
  return (
    <Section title={texts.title} lead={texts.lead}>
      <p>{texts.text}</p>
      <div class="row">
        <ButtonLink href={href('/api/2/me/export')} download={`podstep-${account.value?.username ?? ''}.json`}>
          {texts.button}
        </ButtonLink>
      </div>
      <p class="muted small">
        {texts.opml} <a href={href('/transfer')}>{t().common.nav.transfer}</a>
      </p>
    </Section>
  )
}

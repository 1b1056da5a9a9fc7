import { useId } from 'preact/hooks'
import { attempt } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { restoreFocus } from '../../components/forms/focus.ts'
import { CheckSummary } from '../../components/server-check.tsx'
import { t } from '../../locales/index.ts'
import { areChecksHidden, hideChecks, openChecks } from '../../store/account/server-checks.ts'
import { href } from '../../store/paths.ts'
import { toast } from '../../store/toasts.ts'

/** A short list of the administrator's open tasks. Renders nothing for other users, or once it has been hidden. */
export function ServerHint() {
  const id = useId()
  const open = openChecks.value
  if (open.length === 0 || areChecksHidden()) return null

  async function hide(): Promise<void> {
    if (!(await attempt(hideChecks))) return
    toast(t('admin.doctor.hidden'))
    restoreFocus(document.querySelector('h1'))
  }

  return (
    <section class="card stack checklist" aria-labelledby={id}>
      <header class="row-apart">
        <h2 id={id}>{t('admin.doctor.hint', { n: open.length })}</h2>
        <div class="row">
          <ButtonLink href={href('/admin/server')}>{t('admin.doctor.toServer')}</ButtonLink>
          <Button kind="quiet" onClick={hide}>
            {t('admin.doctor.hide')}
          </Button>
        </div>
      </header>
      <ul class="rows">
        {open.map((check) => (
          <li key={check.check} class="media step">
            <CheckSummary check={check} />
          </li>
        ))}
      </ul>
    </section>
  )
}

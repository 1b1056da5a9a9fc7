import type { ComponentChildren } from 'preact'
import { bytes, date, findText, language, t } from '../locales/index.ts'
import { interpolate } from '../locales/messages.ts'
import type { ServerCheck } from '../store/account/server-checks.ts'
import { Icon } from './icon.tsx'

const BYTES = ['free', 'size', 'needed']

/** Returns the text for a finding or its fix. For unknown codes of a newer server, the finding is the code itself. */
export function checkText(kind: 'seen' | 'todo', { code, values }: ServerCheck): string {
  const shown = Object.entries(values).map(([name, value]) => {
    if (BYTES.includes(name)) return [name, bytes(Number(value), language.value)]
    return [name, name === 'at' ? date(String(value), 'time') : value]
  })
  return interpolate(
    findText(`admin.doctor.${kind}.${code}`) ?? (kind === 'seen' ? code : ''),
    Object.fromEntries(shown),
  )
}

const CHIPS = { error: 'chip chip-bad', warning: 'chip chip-warn', todo: 'chip', optional: 'chip', skipped: 'chip' }

/** Name, status and finding of a check, with `children` below. */
export function CheckSummary({ check, children }: { check: ServerCheck; children?: ComponentChildren }) {
  const { status } = check
  return (
    <>
      <span class="step-mark" data-state={status}>
        {status === 'ok' && (
          <>
            <Icon name="check" />
            <span class="hidden-text">{t('admin.doctor.statuses.ok')}</span>
          </>
        )}
      </span>
      <div class="media-text">
        <h3 class="row">
          {t(`admin.doctor.checks.${check.check}`)}
          {status !== 'ok' && <span class={CHIPS[status]}>{t(`admin.doctor.statuses.${status}`)}</span>}
        </h3>
        <p class="muted">{checkText('seen', check)}</p>
        {children}
      </div>
    </>
  )
}

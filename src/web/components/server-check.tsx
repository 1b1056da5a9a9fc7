import type { ComponentChildren } from 'preact'
import { bytes, date, findText, language, t } from '../locales/index.ts'
import { interpolate } from '../locales/messages.ts'
import type { ServerCheck } from '../store/account/server-checks.ts'
import { Icon } from './icon.tsx'

const BYTES = ['free', 'size', 'needed']

/** The sentence about what was found, or what to do. A newer server may find what this page has no words for. */
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

/** The name of a check with its state, what was found, and below it what to do. */
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

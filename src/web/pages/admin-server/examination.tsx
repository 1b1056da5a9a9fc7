import { type Answer, call } from '../../api/client.ts'
import { Failure, Notice, ServerQuote } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { CopyField } from '../../components/forms/field.tsx'
import { Section } from '../../components/layout/page.tsx'
import { useMutation } from '../../hooks/use-query.ts'
import { bytes, date, findText, language, t } from '../../locales/index.ts'
import { interpolate, type Values } from '../../locales/messages.ts'

type Check = Answer<'examineServer'>['checks'][number]

/** Has the server look for what is wrong with it, and shows what is to be done first. */
export function Examination() {
  const { data: result, isBusy, error, run } = useMutation<Answer<'examineServer'>>()
  return (
    <Section title={t('admin.doctor.title')} lead={t('admin.doctor.lead')}>
      <div class="row">
        <Button isBusy={isBusy.value} onClick={() => run(() => call('examineServer'))}>
          {isBusy.value ? t('admin.doctor.running') : t('admin.doctor.run')}
        </Button>
      </div>
      <div class="outcome" role="status">
        {result.value && <Results checks={result.value.checks} />}
      </div>
      {error.value !== undefined && <Failure error={error.value} />}
    </Section>
  )
}

function Results({ checks }: { checks: readonly Check[] }) {
  const problems = [...withStatus(checks, 'error'), ...withStatus(checks, 'warning')]
  const others = checks.filter((check) => !problems.includes(check))
  return (
    <div class="stack">
      <Notice kind={problems.length === 0 ? 'info' : 'warn'}>
        <p>{problems.length === 0 ? t('admin.doctor.allGood') : t('admin.doctor.problems', { n: problems.length })}</p>
      </Notice>
      {problems.length > 0 && (
        <ul class="rows">
          {problems.map((check) => (
            <li key={check.check} class="finding">
              <CheckItem check={check} />
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary>{t('admin.doctor.others')}</summary>
        <ul class="rows findings">
          {others.map(({ check, status, code, values }) => (
            <li key={check} class="finding">
              <FindingHead check={check} status={status} />
              <p class="muted small">{words('seen', code, values)}</p>
            </li>
          ))}
        </ul>
      </details>
    </div>
  )
}

function withStatus(checks: readonly Check[], wanted: Check['status']): readonly Check[] {
  return checks.filter(({ status }) => status === wanted)
}

function CheckItem({ check: { check, status, code, values, cause, command } }: { check: Check }) {
  return (
    <>
      <FindingHead check={check} status={status} />
      <p>{words('seen', code, values)}</p>
      {cause !== '' && (
        <p class="small muted">
          <ServerQuote textKey="errors.details" cause={cause} />
        </p>
      )}
      <p>{words('todo', code, values)}</p>
      {command !== '' && <CopyField label={t('admin.doctor.command')} text={command} />}
    </>
  )
}

const CHIPS = { ok: 'chip chip-good', warning: 'chip chip-warn', error: 'chip chip-bad', skipped: 'chip' }

function FindingHead({ check, status }: Pick<Check, 'check' | 'status'>) {
  return (
    <div class="row-apart">
      <h3>{t(`admin.doctor.checks.${check}`)}</h3>
      <span class={CHIPS[status]}>{t(`admin.doctor.statuses.${status}`)}</span>
    </div>
  )
}

const BYTES = ['free', 'size', 'needed']

/** What a newer server may find, and this page has no words for, is told by its code. */
function words(kind: 'seen' | 'todo', code: string, values: Values): string {
  const shown = Object.entries(values).map(([name, value]) => {
    if (BYTES.includes(name)) return [name, bytes(Number(value), language.value)]
    return [name, name === 'at' ? date(String(value), 'time') : value]
  })
  return interpolate(findText(`admin.doctor.${kind}.${code}`) ?? code, Object.fromEntries(shown))
}

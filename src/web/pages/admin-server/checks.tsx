import { useEffect } from 'preact/hooks'
import { Failure, ServerQuote } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { Section } from '../../components/layout/page.tsx'
import { CheckSummary, checkText } from '../../components/server-check.tsx'
import { useMutation } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import {
  examineServer,
  isOpen,
  loadChecks,
  openChecks,
  type ServerCheck,
  serverChecks,
} from '../../store/account/server-checks.ts'
import { href } from '../../store/paths.ts'
import { Backups } from './backups.tsx'
import { How } from './how.tsx'
import { DirectoryTest, SignOnTest, TestMail } from './tests.tsx'

/** Checks and codes of entries that always offer an action. */
const WITH_ACTIONS: readonly string[] = ['backup', 'users', 'mail_ok', 'sso_ok', 'directory_ok']

interface ChecksProps {
  readonly dataDir: string
}

/** All checks of the server: open tasks with instructions first, then the rest. */
export function Checks({ dataDir }: ChecksProps) {
  const { isBusy, error, run } = useMutation<readonly ServerCheck[]>()
  const examine = () => run(examineServer)
  const checks = serverChecks.value
  const isUnchecked = checks.some(({ code }) => code === 'not_checked')
  useEffect(() => {
    if (isUnchecked) void examine()
  }, [])
  const open = openChecks.value
  const optional = checks.filter(({ status }) => status === 'optional')
  const rest = checks.filter((check) => !open.includes(check) && !optional.includes(check))
  const shown = [...open, ...optional, ...rest.filter(hasAction)]
  return (
    <Section title={t('admin.doctor.title')} lead={t('admin.doctor.lead')}>
      <div class="row-apart">
        <p role="status">
          <strong>{isBusy.value ? t('admin.doctor.running') : stateOf(open.length, isUnchecked)}</strong>
        </p>
        <Button isBusy={isBusy.value} onClick={examine}>
          {t('admin.doctor.run')}
        </Button>
      </div>
      {error.value !== undefined && <Failure error={error.value} />}
      <List checks={shown} dataDir={dataDir} examine={examine} />
      <details>
        <summary>{t('admin.doctor.others')}</summary>
        <List checks={rest.filter((check) => !hasAction(check))} dataDir={dataDir} examine={examine} />
      </details>
    </Section>
  )
}

function stateOf(n: number, isUnchecked: boolean): string {
  if (n > 0) return t('admin.doctor.problems', { n })
  return isUnchecked ? t('admin.doctor.seen.not_checked') : t('admin.doctor.allGood')
}

function hasAction({ check, code }: ServerCheck): boolean {
  return code !== 'backup_postgres' && (WITH_ACTIONS.includes(check) || WITH_ACTIONS.includes(code))
}

interface ListProps extends ChecksProps {
  readonly examine: () => Promise<unknown>
}

function List({ checks, ...rest }: ListProps & { checks: readonly ServerCheck[] }) {
  return (
    <ul class="rows">
      {checks.map((check) => (
        <li key={check.check} class="media step" data-check={check.check}>
          <Entry check={check} {...rest} />
        </li>
      ))}
    </ul>
  )
}

function Entry({ check, dataDir, examine }: ListProps & { check: ServerCheck }) {
  const isToDo = isOpen(check) || check.status === 'optional'
  const todo = isToDo ? checkText('todo', check) : ''
  return (
    <CheckSummary check={check}>
      <div class="stack-small step-more">
        {check.cause !== '' && (
          <p class="small muted">
            <ServerQuote textKey="errors.details" cause={check.cause} />
          </p>
        )}
        {todo !== '' && <p>{todo}</p>}
        {isToDo && <How check={check} />}
        {check.check === 'backup' && !['backup_off', 'backup_postgres'].includes(check.code) && (
          <Backups dataDir={dataDir} onChange={() => loadChecks()} />
        )}
        {check.code === 'users_alone' && (
          <div class="row">
            <ButtonLink href={href('/admin/users', { invite: 'new' })}>{t('admin.doctor.invite')}</ButtonLink>
          </div>
        )}
        {['mail_ok', 'mail_failed', 'mail_unsent'].includes(check.code) && <TestMail onSent={examine} />}
        {['sso_ok', 'sso_failed'].includes(check.code) && <SignOnTest />}
        {['directory_ok', 'directory_failed'].includes(check.code) && <DirectoryTest />}
      </div>
    </CheckSummary>
  )
}

import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { type Answer, call } from '../../api/client.ts'
import { ActionButton, attempt, ServerQuote } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { CopyField } from '../../components/forms/field.tsx'
import { restoreFocus } from '../../components/forms/focus.ts'
import { Icon } from '../../components/icon.tsx'
import { Fold } from '../../components/layout/fold.tsx'
import { Section } from '../../components/layout/page.tsx'
import { type Query, useQuery } from '../../hooks/use-query.ts'
import { ago, number, t } from '../../locales/index.ts'
import { hideChecklist, loadChecklistHidden } from '../../store/checklist.ts'
import { href } from '../../store/paths.ts'
import { account, server } from '../../store/session.ts'
import { toast } from '../../store/toasts.ts'
import { addressesForApps } from '../connect/connection.ts'
import {
  configLines,
  exampleAddress,
  firstSteps,
  type Setup,
  type Step,
  type StepState,
  stepState,
} from './first-steps.ts'

/** What the server tells about itself. */
export interface ServerSetup extends Setup {
  readonly status: Answer<'getServerStatus'>
  readonly stats: Answer<'getStats'>
  readonly folder: string
}

/** Loads that, unless it turns out not to be wanted. */
export function useSetup(isWanted: (signal: AbortSignal) => Promise<boolean>): Query<ServerSetup | null> {
  return useQuery(async (signal) => {
    if (!(await isWanted(signal))) return null
    const [status, stats, mail, directory] = await Promise.all([
      call('getServerStatus', { signal }),
      call('getStats', { signal }),
      call('getMailState', { signal }),
      call('getDirectoryState', { signal }),
    ])
    return { status, stats, mail, directory, folder: `${status.data_dir}/backups` }
  })
}

/** The checklist on the first page, with a button to hide it; nothing when all is done. */
export function FirstSteps() {
  const id = useId()
  const query = useSetup(async () => !(await loadChecklistHidden()))
  const setup = query.data.value
  if (!setup) return null
  const steps = firstSteps(setup)
  if (!hasSteps(setup)) return null

  async function hide(): Promise<void> {
    if (!(await attempt(hideChecklist))) return
    toast(t('admin.checklist.hidden'))
    restoreFocus(document.querySelector('h1'))
  }

  return (
    <section class="card stack checklist" aria-labelledby={id}>
      <header class="row-apart">
        <h2 id={id}>{t('admin.checklist.title')}</h2>
        <div class="row">
          <Progress steps={steps} />
          <Button kind="quiet" onClick={hide}>
            {t('admin.checklist.hide')}
          </Button>
        </div>
      </header>
      <Steps steps={steps} setup={setup} reload={query.reload} />
    </section>
  )
}

/** Whether there is anything to do that is not optional. */
export function hasSteps(setup: Setup): boolean {
  return firstSteps(setup).some((step) => stepState(step) === 'todo')
}

/** The same for the page about the server, where it always is; folded when there is nothing left to do. */
export function ChecklistSection({ setup, reload }: Pick<StepsProps, 'setup' | 'reload'>) {
  const steps = firstSteps(setup)
  const list = <Steps steps={steps} setup={setup} reload={reload} />
  return (
    <Section title={t('admin.checklist.title')} lead={t('admin.checklist.lead')}>
      {hasSteps(setup) ? (
        <div class="stack checklist">
          <Progress steps={steps} />
          {list}
        </div>
      ) : (
        <Fold title={progressOf(steps)}>
          <div class="checklist">{list}</div>
        </Fold>
      )}
    </Section>
  )
}

function Progress({ steps }: { steps: readonly Step[] }) {
  return <p class="muted small">{progressOf(steps)}</p>
}

function progressOf(steps: readonly Step[]): string {
  const done = steps.filter((step) => stepState(step) === 'done').length
  return t('admin.checklist.progress', { done: number(done), total: number(steps.length) })
}

interface StepsProps {
  readonly steps: readonly Step[]
  readonly setup: ServerSetup
  readonly reload: () => Promise<void>
}

function Steps({ steps, ...rest }: StepsProps) {
  return (
    <ul class="rows">
      {steps.map((step) => (
        <li key={step.name} class="step" data-state={stepState(step)}>
          <StepItem step={step} {...rest} />
        </li>
      ))}
    </ul>
  )
}

function StepItem({ step, setup, reload }: Omit<StepsProps, 'steps'> & { step: Step }) {
  const id = useId()
  const isOpen = useSignal(false)
  const state = stepState(step)
  const lines = configLines(step, {
    address:
      addressesForApps(document.baseURI, server.value)[0] ??
      exampleAddress(document.baseURI, t('admin.checklist.address.host')),
    key: t('admin.checklist.directory.key'),
    secret: t('admin.checklist.directory.secret'),
  })
  return (
    <>
      <StateMark state={state} />
      <div class="step-text">
        <h3 class="row">
          {t(`admin.checklist.${step.name}.name`)}
          {state === 'optional' && <span class="chip">{t('admin.checklist.states.optional')}</span>}
        </h3>
        <p class="muted">{textOf(step, setup)}</p>
        {step.case === 'failed' && (
          <p class="small muted">
            <ServerQuote textKey="errors.details" cause={causeOf(step.name, setup)} />
          </p>
        )}
      </div>
      <div class="row step-actions">
        {lines.length > 0 && (
          <Button
            about={t(`admin.checklist.${step.name}.name`)}
            aria-expanded={isOpen.value}
            aria-controls={id}
            onClick={() => {
              isOpen.value = !isOpen.value
            }}
          >
            {t('admin.checklist.showLines')}
          </Button>
        )}
        <StepAction step={step} reload={reload} />
      </div>
      <div id={id} class="step-lines">
        {isOpen.value && (
          <div class="stack-small">
            {step.name === 'directory' && (
              <p>
                <ButtonLink href="https://api.podcastindex.org/" icon="external" isExternal>
                  {t('admin.checklist.directory.get')}
                </ButtonLink>
              </p>
            )}
            <p>{t('admin.checklist.lines')}</p>
            <CopyField text={lines.join('\n')} label={t('admin.checklist.linesLabel')} />
          </div>
        )}
      </div>
    </>
  )
}

function StateMark({ state }: { state: StepState }) {
  return (
    <span class="step-mark" data-state={state}>
      {state === 'done' && <Icon name="check" />}
      {state !== 'optional' && <span class="hidden-text">{t(`admin.checklist.states.${state}`)}</span>}
    </span>
  )
}

/** What can be done about a step here, unless it is done in config.toml. */
function StepAction({ step, reload }: { step: Step; reload: () => Promise<void> }) {
  const toServer = <ButtonLink href={href('/admin/server')}>{t('admin.checklist.toServer')}</ButtonLink>
  if (step.name === 'family')
    return <ButtonLink href={href('/admin/users', { invite: 'new' })}>{t('admin.checklist.family.invite')}</ButtonLink>
  if (step.name === 'backups' && step.case !== 'done' && step.case !== 'off')
    return <ActionButton work={() => call('makeBackup').finally(reload)}>{t('admin.server.backups.now')}</ActionButton>
  if (step.name === 'mail' && (step.case === 'untested' || step.case === 'failed'))
    return account.value?.email ? (
      <ActionButton work={() => call('sendTestMail', { body: {} }).finally(reload)}>
        {t('admin.checklist.mail.test')}
      </ActionButton>
    ) : (
      toServer
    )
  if (step.name === 'directory' && (step.case === 'untested' || step.case === 'failed'))
    return (
      <ActionButton about={t('admin.checklist.directory.name')} work={() => call('testDirectory').finally(reload)}>
        {t('admin.server.test')}
      </ActionButton>
    )
  return null
}

/** Why a step has failed, as the server says it. */
function causeOf(
  name: 'backups' | 'mail' | 'directory',
  { status, mail, directory }: Pick<ServerSetup, 'status' | 'mail' | 'directory'>,
): string {
  const failures = { backups: status.backup.last, mail: mail.last_failure, directory: directory.last_failure }
  return failures[name]?.cause ?? ''
}

function textOf(step: Step, { status, stats, folder }: StepsProps['setup']): string {
  if (step.name === 'address' && step.case === 'done')
    return t('admin.checklist.address.done', { address: status.base_url })
  if (step.name === 'family' && step.case === 'done') return t('admin.checklist.family.done', { n: stats.users })
  if (step.name === 'backups') {
    const when = ago(status.backup.last?.at ?? '')
    if (step.case === 'done') return t('admin.checklist.backups.done', { ago: when, folder })
    return step.case === 'failed' || step.case === 'overdue'
      ? t(`admin.checklist.backups.${step.case}`, { ago: when })
      : t(`admin.checklist.backups.${step.case}`)
  }
  if (step.name === 'mail') return t(`admin.checklist.mail.${step.case}`)
  if (step.name === 'directory') return t(`admin.checklist.directory.${step.case}`)
  return step.name === 'address' ? t('admin.checklist.address.unset') : t('admin.checklist.family.alone')
}

import type { ComponentChildren } from 'preact'
import { Notice } from '../../parts/notice.tsx'
import { ServerWords } from '../../parts/server-words.tsx'
import { t } from '../../text/index.ts'

interface OutcomeProps {
  readonly isGood: boolean
  /** In the server's words, which are English. */
  readonly cause?: string
  readonly children: ComponentChildren
}

/** What came of a test. */
export function Outcome({ isGood, cause = '', children }: OutcomeProps) {
  return (
    // No alert: it stands where screen readers listen already.
    <Notice kind={isGood ? 'info' : 'warn'}>
      <p>{children}</p>
      {cause !== '' && (
        <p class="small muted">
          <ServerWords text={t().admin.server.serverSays} cause={cause} />
        </p>
      )}
    </Notice>
  )
}

/** Whether a feature is set up. */
export function OnOff({ isOn }: { isOn: boolean }) {
  const { on, off } = t().admin.server
  return <span class={isOn ? 'chip chip-good' : 'chip'}>{isOn ? on : off}</span>
}

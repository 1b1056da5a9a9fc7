import type { ComponentChildren } from 'preact'
import { Button } from '../../parts/button.tsx'
import { regainFocus } from '../../parts/kept-focus.ts'
import { useSending } from '../../state/sending.ts'
import { userRefusal } from './words.ts'

interface ActProps {
  /** What it means, or why it cannot be done. */
  readonly text: string
  readonly label: string
  readonly isOff?: boolean
  readonly work: () => Promise<unknown>
}

/** Something that is done at once; a refusal stands beside it, and the focus stays on it. */
export function Act({ text, label, isOff = false, work }: ActProps) {
  const { isBusy, error, run } = useSending()

  async function press({ currentTarget }: MouseEvent): Promise<void> {
    await run(work)
    if (currentTarget instanceof HTMLElement) regainFocus(currentTarget)
  }

  return (
    <ActRow text={text}>
      <Button isBusy={isBusy.value} disabled={isOff} onClick={press}>
        {label}
      </Button>
      {error.value !== undefined && (
        <p class="field-error act-error" role="alert">
          {userRefusal(error.value)}
        </p>
      )}
    </ActRow>
  )
}

/** What an action means, and its button. */
export function ActRow({ text, children }: { readonly text: string; readonly children: ComponentChildren }) {
  return (
    <li class="act">
      <p class="act-text">{text}</p>
      {children}
    </li>
  )
}

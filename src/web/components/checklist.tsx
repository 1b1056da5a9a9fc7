import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { isChecklistHidden } from '../store/checklist.ts'
import { account } from '../store/session.ts'

/**
 * What an administrator of a new server has still to do, for the first page; nothing for other users, when it was
 * hidden, and when all is done. Loaded after the page, which does not wait for it.
 */
export function Checklist() {
  const Content = useSignal<ComponentType | undefined>(undefined)
  const isWanted = account.value?.is_admin === true && !isChecklistHidden()
  useEffect(() => {
    if (!isWanted) return
    // Without it the page is as good; the page Server has it, too.
    import('../pages/rest.ts').then(
      (module) => {
        Content.value = module.FirstSteps
      },
      () => undefined,
    )
  }, [isWanted])
  return isWanted && Content.value ? <Content.value /> : null
}

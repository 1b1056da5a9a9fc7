import { useSignal } from '@preact/signals'
import type { ComponentChildren, ComponentType } from 'preact'
import { useEffect, useErrorBoundary } from 'preact/hooks'
import { lazy } from 'preact-iso'
import { ApiError, call } from './api/client.ts'
import { errorMessage } from './components/feedback/error-message.ts'
import { Notice } from './components/feedback/notice.tsx'
import { Button } from './components/forms/button.tsx'
import { t } from './locales/index.ts'

/** Fetches the file a page is in. */
type Load = () => Promise<{ default: ComponentType }>

/** What is around the word that there is no page. */
type Frame = ComponentType<{ title: string; children: ComponentChildren }>

/** Set while a page is loaded anew for the sake of its files, so that this happens once and not for ever. */
const RELOADED = 'podstep.reloaded'

/** A page that is fetched when it is first looked at. If that fails it says so, and fetches it again when asked to. */
export function lazyPage(load: Load, Frame: Frame): ComponentType {
  let Content: ComponentType | undefined
  let failure: unknown

  async function fetchPage(): Promise<void> {
    try {
      Content = (await load()).default
      failure = undefined
      sessionStorage.removeItem(RELOADED)
    } catch (reason) {
      failure = await reasonFor(reason)
    }
  }

  function Fetched() {
    const isThere = useSignal(Content !== undefined)
    const isBusy = useSignal(false)
    async function again(): Promise<void> {
      isBusy.value = true
      await fetchPage()
      isThere.value = Content !== undefined
      isBusy.value = false
    }
    useEffect(() => {
      // Looked at once more after it has failed.
      if (!isThere.value && failure === undefined) void again()
      return () => {
        failure = undefined
      }
    }, [])
    if (isThere.value && Content)
      return (
        <Guarded frame={Frame}>
          <Content />
        </Guarded>
      )
    const text = failure instanceof ApiError ? errorMessage(failure) : t('common.errors.unloadable')
    return <Failed frame={Frame} text={text} isBusy={isBusy.value} onRetry={() => void again()} />
  }

  return lazy(async () => {
    await fetchPage()
    return { default: Fetched }
  })
}

/** A fault of ours in a page leaves all the rest as it is. */
function Guarded({ frame, children }: { frame: Frame; children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary(reportError)
  if (error === undefined) return children
  return <Failed frame={frame} text={errorMessage(error)} onRetry={reset} />
}

interface FailedProps {
  readonly frame: Frame
  readonly text: string
  readonly isBusy?: boolean
  readonly onRetry: () => void
}

function Failed({ frame: Frame, text, isBusy = false, onRetry }: FailedProps) {
  return (
    <Frame title={t('common.errors.title')}>
      <Notice kind="error">
        <p>{text}</p>
        <p>
          <Button icon="refresh" isBusy={isBusy} onClick={onRetry}>
            {t('common.retry')}
          </Button>
        </p>
      </Notice>
    </Frame>
  )
}

/** Why a file could not be fetched. Where the server is there it has been replaced by another version, whose page we go on with. */
async function reasonFor(reason: unknown): Promise<unknown> {
  try {
    await call('getServer')
  } catch (error) {
    return error
  }
  if (sessionStorage.getItem(RELOADED) !== null) {
    sessionStorage.removeItem(RELOADED)
    return reason
  }
  sessionStorage.setItem(RELOADED, '')
  location.reload()
  // Until the new page is there, the old one stays as it is.
  return await new Promise(() => undefined)
}

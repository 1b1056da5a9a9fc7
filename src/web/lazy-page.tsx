import { useSignal } from '@preact/signals'
import type { ComponentChildren, ComponentType } from 'preact'
import { useEffect, useErrorBoundary } from 'preact/hooks'
import { lazy } from 'preact-iso'
import { ApiError, call } from './api/client.ts'
import { errorMessage, Notice } from './components/feedback/notice.tsx'
import { Button } from './components/forms/button.tsx'
import { t } from './locales/index.ts'

/** Imports the module of a page. */
type Load = () => Promise<{ default: ComponentType }>

/** The layout in which errors are shown. */
type Frame = ComponentType<{ title: string; children: ComponentChildren }>

/** Set in sessionStorage while the client reloads itself to get a new version, so that it does so only once. */
const RELOADED = 'podstep.reloaded'

/** A page whose module is loaded when it is first shown. If that fails, it shows the error and a button to retry. */
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

  function LoadedPage() {
    const isThere = useSignal(Content !== undefined)
    const isBusy = useSignal(false)
    async function again(): Promise<void> {
      isBusy.value = true
      await fetchPage()
      isThere.value = Content !== undefined
      isBusy.value = false
    }
    useEffect(() => {
      // The page was left after an error and is shown again.
      if (!isThere.value && failure === undefined) void again()
      return () => {
        failure = undefined
      }
    }, [])
    if (isThere.value && Content)
      return (
        <PageBoundary frame={Frame}>
          <Content />
        </PageBoundary>
      )
    const text = failure instanceof ApiError ? errorMessage(failure) : t('common.errors.unloadable')
    return <PageError frame={Frame} text={text} isBusy={isBusy.value} onRetry={() => void again()} />
  }

  return lazy(async () => {
    await fetchPage()
    return { default: LoadedPage }
  })
}

/** Shows errors of rendering in place of the page, so that the rest of the client goes on working. */
function PageBoundary({ frame, children }: { frame: Frame; children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary(reportError)
  if (error === undefined) return children
  return <PageError frame={frame} text={errorMessage(error)} onRetry={reset} />
}

interface PageErrorProps {
  readonly frame: Frame
  readonly text: string
  readonly isBusy?: boolean
  readonly onRetry: () => void
}

function PageError({ frame: Frame, text, isBusy = false, onRetry }: PageErrorProps) {
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

/** Why a module could not be loaded. If the server answers, it is probably a new version: reloads once. */
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
  // Never resolves, since the page is about to be replaced.
  return await new Promise(() => undefined)
}

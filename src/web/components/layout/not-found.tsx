import type { ComponentChildren } from 'preact'
import { ApiError } from '../../api/client.ts'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { errorMessage } from '../feedback/error-message.ts'
import { EmptyState, Failure, ServerMessage } from '../feedback/notice.tsx'
import { Button, ButtonLink } from '../forms/button.tsx'
import { Page } from './page.tsx'

/** For an address that leads to nothing. */
export function NotFound() {
  return (
    <Page title={t('common.errors.notFoundTitle')}>
      <EmptyState text={t('common.errors.notFound')}>
        <ButtonLink kind="main" href={href('/')}>
          {t('common.errors.home')}
        </ButtonLink>
      </EmptyState>
    </Page>
  )
}

interface UnavailableProps {
  readonly title: string
  /** Why it is not there. */
  readonly error: unknown
  readonly onRetry: () => void
  /** Other ways on. */
  readonly children?: ComponentChildren
}

/** Instead of a page about something that the server does not show. */
export function Unavailable({ title, error, onRetry, children }: UnavailableProps) {
  const isRefused = error instanceof ApiError && error.status >= 400 && error.status !== 429
  return (
    <Page title={title}>
      {isRefused ? (
        <EmptyState text={errorMessage(error)} detail={<ServerMessage error={error} />}>
          <Button icon="refresh" onClick={onRetry}>
            {t('common.retry')}
          </Button>
          {children}
        </EmptyState>
      ) : (
        <Failure error={error} onRetry={onRetry} />
      )}
    </Page>
  )
}

import type { ComponentChildren } from 'preact'
import { ApiError } from '../../api/client.ts'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { errorMessage } from '../feedback/error-message.ts'
import { EmptyState, Failure, ServerMessage } from '../feedback/notice.tsx'
import { Button, ButtonLink } from '../forms/button.tsx'
import { Page } from './page.tsx'

/** The page for an unknown address. */
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
  readonly error: unknown
  readonly onRetry: () => void
  /** More buttons and links. */
  readonly children?: ComponentChildren
}

/** Stands in place of a page whose podcast or episode could not be loaded. */
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

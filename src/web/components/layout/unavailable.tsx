import type { ComponentChildren, ComponentType } from 'preact'
import { ApiError } from '../../api/client.ts'
import type { Query } from '../../hooks/use-query.ts'
import { type PlainKey, t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { account } from '../../store/session.ts'
import { EmptyState, errorMessage, Failure, ServerMessage } from '../feedback/notice.tsx'
import { Button, ButtonLink } from '../forms/button.tsx'
import { Page } from './page.tsx'
import { ArticleSkeleton } from './skeletons.tsx'

/** The page for an unknown address. */
export function NotFound() {
  return (
    <Page title={t('common.errors.notFoundTitle')}>
      <EmptyState text={t('common.errors.notFound')}>
        <HomeLink />
      </EmptyState>
    </Page>
  )
}

interface UnavailableProps {
  /** The query for what the page is about. */
  readonly query: Query<unknown>
  /** The title if that cannot be loaded. */
  readonly title: string
  /** The address by which the podcast was asked for, to be seen then. */
  readonly address?: string
  /** More buttons and links for then. */
  readonly children?: ComponentChildren
}

/** Stands in place of a page whose podcast or episode is being loaded or could not be. */
export function Unavailable({ query, title, address, children }: UnavailableProps) {
  const { value: error } = query.error
  if (error === undefined) return <ArticleSkeleton />
  const isRefused = error instanceof ApiError && error.status >= 400 && error.status !== 429
  const retry = () => void query.reload()
  return (
    <Page title={title}>
      {isRefused ? (
        <EmptyState
          text={errorMessage(error)}
          detail={
            <>
              {address !== undefined && (
                <p class="small" dir="ltr">
                  {address}
                </p>
              )}
              <ServerMessage error={error} />
            </>
          }
        >
          <Button icon="refresh" onClick={retry}>
            {t('common.retry')}
          </Button>
          {children}
        </EmptyState>
      ) : (
        <Failure error={error} onRetry={retry} />
      )}
    </Page>
  )
}

/** A page for administrators only. For other users it renders an explanation, and nothing is loaded. */
export function adminPage(title: PlainKey, Content: ComponentType): ComponentType {
  return () => {
    if (account.value?.is_admin) return <Content />
    return (
      <Page title={t(title)}>
        <EmptyState title={t('admin.only.title')} text={t('admin.only.text')}>
          <HomeLink />
        </EmptyState>
      </Page>
    )
  }
}

function HomeLink() {
  return (
    <ButtonLink kind="main" href={href('/')}>
      {t('common.errors.home')}
    </ButtonLink>
  )
}

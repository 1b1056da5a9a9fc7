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

/** Page for an unknown address. */
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
  /** Query of the page's main content. */
  readonly query: Query<unknown>
  /** Title if the query fails. */
  readonly title: string
  /** Requested address of the podcast, shown with the error. */
  readonly address?: string
  /** Further buttons and links, shown with the error. */
  readonly children?: ComponentChildren
}

/** Skeleton or error in place of a page whose podcast or episode is loading or failed to load. */
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

/** Wraps a page for administrators. Other users see an explanation, and the page is not rendered. */
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

import { t } from '../../locales/index.ts'

/** Reserves the space of content that is loading, so that the page does not jump. */
export function Skeleton({ height, count = 1 }: { height: string; count?: number }) {
  return (
    <div class="stack-small" role="status" aria-label={t('common.loading')}>
      {Array.from({ length: count }, (_, index) => (
        <div key={index} class="skeleton" style={{ height }} />
      ))}
    </div>
  )
}

/** Reserves the space of a list of podcasts. */
export function ListSkeleton({ rows }: { rows: number }) {
  return (
    <div class="podcast-list-skeleton">
      <Skeleton height="5.5rem" count={rows} />
    </div>
  )
}

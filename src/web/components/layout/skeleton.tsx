import { t } from '../../locales/index.ts'

/** Holds the place of what is on its way, so that nothing jumps when it comes. */
export function Skeleton({ height, count = 1 }: { height: string; count?: number }) {
  return (
    <div class="stack-small" role="status" aria-label={t('common.loading')}>
      {Array.from({ length: count }, (_, index) => (
        <div key={index} class="skeleton" style={{ height }} />
      ))}
    </div>
  )
}

/** As high as a list of podcasts of so many rows. */
export function ListSkeleton({ rows }: { rows: number }) {
  return (
    <div class="podcast-list-skeleton">
      <Skeleton height="5.5rem" count={rows} />
    </div>
  )
}

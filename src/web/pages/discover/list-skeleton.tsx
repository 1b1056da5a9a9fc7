import { Skeleton } from '../../components/layout/skeleton.tsx'

/** As high as a list of podcasts of so many rows. */
export function ListSkeleton({ rows }: { rows: number }) {
  return (
    <div class="podcast-list-skeleton">
      <Skeleton height="5.5rem" count={rows} />
    </div>
  )
}

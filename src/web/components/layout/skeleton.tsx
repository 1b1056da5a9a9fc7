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

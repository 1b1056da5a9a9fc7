import { Skeleton } from '../../parts/skeleton.tsx'

/** As high as a group of two and a device by itself. */
export function DevicesSkeleton() {
  return (
    <div class="devices">
      <Skeleton height="2rem" />
      <div class="devices-grid">
        <Skeleton height="13.5rem" />
      </div>
      <Skeleton height="2rem" />
      <div class="devices-grid">
        <Skeleton height="8rem" />
      </div>
    </div>
  )
}

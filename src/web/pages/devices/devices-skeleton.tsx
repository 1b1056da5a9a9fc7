import { Skeleton } from '../../parts/skeleton.tsx'

/** As high as a group of two and a device by itself. */
export function DevicesSkeleton() {
  return (
    <div class="devices devices-many">
      <Skeleton height="15rem" />
      <Skeleton height="15rem" />
    </div>
  )
}

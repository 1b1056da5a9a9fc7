import type { ListChange } from './ports.ts'

export function describeChange({
  kind,
  device,
  added,
  removed,
}: Pick<ListChange, 'kind' | 'device' | 'added' | 'removed'>): string {
  const who = device?.caption ?? 'A device that is gone'
  const what = countsOf(added.count, removed.count)
  switch (kind) {
    case 'upload':
    case 'replace':
      return `${who} ${what}`
    case 'sync':
      return `Devices were put in sync, which ${what}`
    case 'join':
      return device ? `${who} joined the other devices, which ${what}` : `Devices joined the others, which ${what}`
    case 'exchange':
      return `${podcasts(Math.max(added.count, removed.count))} got a new address`
    case 'import':
      return `An import ${what}${device ? ` on ${who}` : ''}`
    case 'restore':
      return device ? `The list of ${who} was restored, which ${what}` : `All lists were restored, which ${what}`
    case 'device':
      return `${who} was deleted with ${podcasts(removed.count)}`
  }
}

function countsOf(added: number, removed: number): string {
  if (removed === 0) return `added ${podcasts(added)}`
  if (added === 0) return `removed ${podcasts(removed)}`
  return `added ${podcasts(added)} and removed ${podcasts(removed)}`
}

function podcasts(count: number): string {
  return count === 1 ? '1 podcast' : `${count} podcasts`
}

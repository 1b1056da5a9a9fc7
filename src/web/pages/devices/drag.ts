import { signal } from '@preact/signals'

/** The device in the hand, by its ID. */
export const dragged = signal<string | undefined>(undefined)

/** The place the hand is over. */
const over = signal<string | undefined>(undefined)

interface Handlers {
  readonly draggable: boolean
  onDragStart(event: DragEvent): void
  onDragEnd(): void
}

/** Makes a device something to drag. There are buttons for the same. */
export function draggableAs(id: string, caption: string): Handlers {
  return {
    draggable: true,
    onDragStart({ dataTransfer }) {
      dragged.value = id
      if (!dataTransfer) return
      dataTransfer.effectAllowed = 'move'
      // Some browsers drag nothing that has no data.
      dataTransfer.setData('text/plain', caption)
    },
    onDragEnd: letGo,
  }
}

/** Makes a place one to drop devices on; `drop` says what would come of it, and is undefined where nothing would. */
export function dropOn(place: string, drop: ((device: string) => (() => void) | undefined) | undefined) {
  const outcome = dragged.value === undefined ? undefined : drop?.(dragged.value)
  return {
    'data-drop': outcome === undefined ? undefined : over.value === place ? 'over' : 'open',
    onDragOver(event: DragEvent) {
      if (!outcome) return
      event.preventDefault()
      event.stopPropagation()
      over.value = place
    },
    onDragLeave({ currentTarget, relatedTarget }: DragEvent) {
      const isInside =
        currentTarget instanceof Element && relatedTarget instanceof Node && currentTarget.contains(relatedTarget)
      if (!isInside && over.value === place) over.value = undefined
    },
    onDrop(event: DragEvent) {
      if (!outcome) return
      event.preventDefault()
      event.stopPropagation()
      letGo()
      outcome()
    },
  }
}

function letGo(): void {
  dragged.value = undefined
  over.value = undefined
}

import { describe, expect } from 'bun:test'
import type { UserId } from '../../../../src/domain/shared/ids.ts'
import type { Chapter } from '../../../../src/domain/sync/ports/chapters.ts'
import type { Store } from '../../../../src/store/stores.ts'
import { A, B, type OpenStore, T, withUsers } from '../fixtures.ts'

const FOG = `${A} https://cdn.example/fog.mp3`
const MIST = `${B} https://cdn.example/fog.mp3`

const chapter = (start: number, fields: Partial<Chapter> = {}): Chapter => ({
  ...{ start, end: start + 10, label: 'x', isAdvertisement: false },
  ...fields,
})

interface Change {
  readonly add?: Chapter[]
  readonly remove?: Chapter[]
  readonly device?: string
}

const change = (
  store: Store,
  id: UserId,
  target: string,
  { add = [], remove = [], device }: Change,
  seenUntil?: number,
) => store.chapters.change(id, target, { add, remove, device }, { at: T, seenUntil })

export function describeChapters(open: OpenStore): void {
  const it = withUsers(open)
  describe('chapters', () => {
    it('are listed by user and target, sorted by time, all or changed since', async ({ store, ida, ole }) => {
      const { clock } = await change(store, ida, FOG, { add: [chapter(30), chapter(5), chapter(5, { end: 6 })] })
      await change(store, ida, MIST, { add: [chapter(1)] })
      await change(store, ole, FOG, { add: [chapter(2)] })
      const all = [chapter(5, { end: 6 }), chapter(5), chapter(30)]
      expect(await store.chapters.list(ida, FOG, 0)).toEqual({ chapters: all, clock: clock + 2 })
      const ad = chapter(5, { isAdvertisement: true })
      const changed = await change(store, ida, FOG, { add: [ad, chapter(30)], remove: [chapter(7)] })
      expect((await store.chapters.list(ida, FOG, changed.clock)).chapters).toEqual([ad])
      expect((await Array.fromAsync(store.exports.chapters(ida))).flat()).toMatchObject([
        ...[chapter(5, { end: 6 }), ad, chapter(30)].map((each) => ({ ...each, target: FOG })),
        { ...chapter(1), target: MIST },
      ])
    })

    it('advance the clock only if they change; an upload says whether it missed changes', async ({ store, ida }) => {
      const first = await change(store, ida, FOG, { add: [chapter(1)], device: 'phone' })
      expect(first).toEqual({ clock: T, missed: false })
      expect(await change(store, ida, FOG, { add: [chapter(1)], remove: [chapter(2)] })).toEqual(first)
      expect(await change(store, ida, FOG, { remove: [chapter(1)] })).toEqual({ clock: T + 2, missed: false })
      await change(store, ida, FOG, { add: [chapter(3)] })
      expect(await change(store, ida, FOG, { add: [chapter(4)] }, T + 3)).toEqual({ clock: T + 6, missed: true })
      expect(await change(store, ida, FOG, { add: [chapter(5)] }, T + 7)).toEqual({ clock: T + 8, missed: false })
      expect(await store.devices.list(ida)).toMatchObject([{ uid: 'phone' }])
    })
  })
}

import { describe, expect, test } from 'bun:test'
import { type HeldPodcast, previewGroup, previewRemoval } from '../../src/web/pages/devices/group-preview.tsx'

/** A podcast by its name and the devices that have it, a letter each. */
const held = (title: string, devices: string): HeldPodcast => ({
  url: `https://${title}.example/`,
  title,
  devices: devices.split(''),
})

const PODCASTS = [held('fog', 'p'), held('tide', 'p'), held('gulls', 'pl'), held('chess', 'l'), held('moss', 'd')]

function preview(groups: readonly string[], edited: string, devices: string) {
  const wish = { edited: edited.split(''), devices: devices.split('') }
  const { gains, total, released } = previewGroup(
    PODCASTS,
    groups.map((group) => group.split('')),
    wish,
  )
  return {
    gains: gains.map(({ device, podcasts }) => `${device}: ${podcasts.map(({ title }) => title).join(' ')}`.trim()),
    total,
    released: released.join(''),
  }
}

describe('the preview of a group (docs/protocol.md#D35)', () => {
  test.each([
    ['each gets what the other has', [], '', 'pl', ['l: fog tide', 'p: chess'], 4, ''],
    ['three devices', [], '', 'pld', ['d: fog tide gulls chess', 'l: fog tide moss', 'p: chess moss'], 5, ''],
    ['one device: no group, nothing happens', [], '', 'p', [], 0, ''],
    ['a group as it is', ['pl'], 'pl', 'pl', ['p:', 'l:'], 4, ''],
    ['who leaves is named; nobody gets anything', ['pld'], 'pld', 'pl', ['p:', 'l:'], 4, 'd'],
    ['dissolving a group', ['pl'], 'pl', 'p', [], 0, 'pl'],
    ['a device from another group leaves one behind', ['pl'], '', 'pd', ['d: fog tide gulls', 'p: moss'], 4, 'l'],
    ['a device without podcasts gets all', [], '', 'px', ['x: fog tide gulls', 'p:'], 3, ''],
  ] as const)('%s', (_, groups, edited, devices, gains, total, released) => {
    expect(preview(groups, edited, devices)).toEqual({ gains: [...gains], total, released })
  })
})

describe('what goes with a device', () => {
  test.each([
    ['p', ['fog', 'tide'], 1],
    ['d', ['moss'], 0],
    ['x', [], 0],
  ] as const)('%s', (device, lost, kept) => {
    const loss = previewRemoval(PODCASTS, device)
    expect({ lost: loss.lost.map(({ title }) => title), kept: loss.kept }).toEqual({ lost: [...lost], kept })
  })
})

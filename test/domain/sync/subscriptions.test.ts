import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { planChange } from '../../../src/domain/sync/subscriptions.ts'

const A = 'https://a.example/f'
const B = 'https://b.example/f'

describe('an upload of subscription changes', () => {
  test('keeps order and names each feed once', () => {
    expect(planChange({ add: [B, A, B], remove: ['https://c.example/f', 'https://c.example/f'] })).toEqual({
      add: [B, A],
      remove: ['https://c.example/f'],
      updateUrls: [],
    })
  })

  test('stores sanitised URLs and reports the changes of both lists', () => {
    expect(planChange({ add: ['http://Tidewater.example', 'ftp://a.example/'], remove: ['HTTP://b.example'] })).toEqual(
      {
        add: ['http://tidewater.example/'],
        remove: ['http://b.example/'],
        updateUrls: [
          ['http://Tidewater.example', 'http://tidewater.example/'],
          ['ftp://a.example/', ''],
          ['HTTP://b.example', 'http://b.example/'],
        ],
      },
    )
  })

  test('refuses the same text in both lists', () => {
    expect(() => planChange({ add: [B, A], remove: [A] })).toThrow(
      expect.objectContaining({ code: 'validation_failed' }),
    )
    expect(() => planChange({ add: ['nonsense'], remove: ['nonsense'] })).toThrow(
      expect.objectContaining({ code: 'validation_failed' }),
    )
  })

  test('lets the add win when two spellings of one feed are in both lists', () => {
    expect(planChange({ add: ['http://A.example/'], remove: ['http://a.example/', B] })).toEqual({
      add: ['http://a.example/'],
      remove: [B],
      updateUrls: [['http://A.example/', 'http://a.example/']],
    })
  })

  test('drops blanks without a word, even from both lists', () => {
    expect(planChange({ add: ['', A], remove: ['', ' '] })).toEqual({ add: [A], remove: [], updateUrls: [] })
  })

  test('may be empty', () => {
    expect(planChange({ add: [], remove: [] })).toEqual({ add: [], remove: [], updateUrls: [] })
  })

  test('never names a feed twice', () => {
    const url = fc.constantFrom(
      A,
      B,
      ' http://A.example',
      'http://a.example/',
      'feed://a.example/',
      'http://A.example',
      '',
      'x',
    )
    fc.assert(
      fc.property(fc.array(url), fc.array(url), (add, remove) => {
        fc.pre(!add.some((raw) => raw !== '' && remove.includes(raw)))
        const plan = planChange({ add, remove })
        const all = [...plan.add, ...plan.remove]
        expect(new Set(all).size).toBe(all.length)
        expect(new Set(plan.updateUrls.map(([old]) => old)).size).toBe(plan.updateUrls.length)
      }),
    )
  })
})

import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { clientOf } from '../support/client.ts'
import { DAY, listOf, openDays } from './last-week-scene.ts'

describe('whatever the clock does', () => {
  test('days without the server are days on which nothing changed', async () => {
    const { app, run, have, list, days } = await openDays()
    await have('a', 1)
    await days(1)
    await have('a', 2)
    await days(1)
    app.clock.advance(4 * DAY)
    await run('directory')
    expect(await list()).toEqual(['a 2 was 2 at 0'])
    app.clock.advance(2 * DAY)
    await run('directory')
    expect(await list()).toEqual(['a 2 was 1 at 1'])
    await have('a', 3)
    app.clock.advance(20 * DAY)
    await run('directory')
    expect(await list()).toEqual(['a 3 was 2 at 1'])
  })

  test('a server that starts again and again knows what the one before it noted', async () => {
    const { app, have, days } = await openDays()
    await have('a', 1)
    const unknown = Array.from({ length: 5 }, () => 'a 3 was 3 at 0')
    const expected = [
      'a 1 was 1 at 0',
      ...unknown,
      'a 3 was 3 at 0',
      'a 3 was 1 at 1',
      'a 3 was 3 at 1',
      'a 3 was 3 at 1',
    ]
    for (const [day, shown] of expected.entries()) {
      await days(1)
      const restarted = startTestApp({ db: app.db, clock: app.clock })
      expect(listOf(await clientOf(restarted).get('/toplist/100.json'))).toEqual([shown])
      restarted.jobs.find(({ name }) => name === 'directory')?.run()
      await restarted.idle()
      if (day === 0) await have('a', 3)
    }
  })

  test('a clock that was ahead for a while leaves nothing of the future', async () => {
    const { app, run, have, list, days, history } = await openDays()
    await have('a', 1)
    await days(9)
    app.clock.jump(365 * DAY)
    await have('a', 2)
    await run('directory')
    expect(await list()).toEqual(['a 2 was 1 at 1'])
    app.clock.jump(-365 * DAY)
    await have('a', 3)
    await days(1)
    await have('a', 2)
    await days(7)
    expect(await list()).toEqual(['a 2 was 3 at 1'])
    await days(1)
    expect(await list()).toEqual(['a 2 was 2 at 1'])
    const today = Math.floor(app.clock.seconds() / DAY)
    expect(history().filter(({ day }) => day >= today)).toEqual([])
  })

  test('a clock that has not been set yet changes nothing that was noted', async () => {
    const { app, run, have, list, days, history } = await openDays()
    await have('a', 1)
    await days(3)
    await have('a', 2)
    await days(5)
    expect(await list()).toEqual(['a 2 was 1 at 1'])
    const before = history()
    const now = app.clock.seconds()
    app.clock.jump(-now + 60)
    await have('a', 3)
    await run('directory')
    expect(history()).toEqual(before)
    expect(await list()).toEqual(['a 3 was 1 at 1'])
    app.clock.jump(now)
    await days(3)
    expect(await list()).toEqual(['a 3 was 2 at 1'])
  })

  test('a clock that goes back a few days is followed', async () => {
    const { app, have, list, days } = await openDays()
    await have('a', 1)
    await days(10)
    await have('a', 2)
    app.clock.jump(-3 * DAY)
    await days(1)
    expect(await list()).toEqual(['a 2 was 1 at 1'])
    await days(7)
    expect(await list()).toEqual(['a 2 was 2 at 1'])
  })
})

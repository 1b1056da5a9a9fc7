import { describe, expect, test } from 'bun:test'
import { createPasswordHasher, HashQueueFull } from '../../src/platform/password.ts'

/** Hash functions that finish on request. */
function slow() {
  const finish: (() => void)[] = []
  const calls: (readonly [string, string | undefined])[] = []
  const wait = (password: string, phc?: string) => {
    calls.push([password, phc])
    return new Promise<void>((resolve) => finish.push(resolve))
  }
  const hasher = createPasswordHasher({
    hash: (password) => wait(password).then(() => `hash of ${password}`),
    verify: (password, phc) => wait(password, phc).then(() => phc === `hash of ${password}`),
  })
  return { hasher, finish, calls }
}

/** Lets settled promises take effect. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('real hashes', () => {
  test('are argon2id with 19 MiB and 2 passes, salted, and verify', async () => {
    const hasher = createPasswordHasher()
    const phc = await hasher.hash('seaglass')
    expect(phc).toStartWith('$argon2id$v=19$m=19456,t=2,p=1$')
    expect(await hasher.hash('seaglass')).not.toBe(phc)
    expect(await hasher.verify('seaglass', phc)).toBe(true)
    expect(await hasher.verify('Seaglass', phc)).toBe(false)
  })

  test('are compared with a decoy of the same parameters for unknown users, and never match', async () => {
    const parameters = (phc: string | undefined) => phc?.split('$').slice(1, 4)
    const seen: string[] = []
    const spying = createPasswordHasher({
      hash: Bun.password.hash,
      verify: async (_password, phc) => {
        seen.push(phc)
        // Not even if the decoy matched.
        return true
      },
    })
    expect(await spying.verify('seaglass', undefined)).toBe(false)
    expect(parameters(seen[0])).toEqual(parameters(await createPasswordHasher().hash('seaglass')))
    expect(seen).toHaveLength(1)
  })
})

describe('the queue', () => {
  test('runs one at a time, in order of arrival, hashing and verifying alike', async () => {
    const { hasher, finish, calls } = slow()
    const { hash, verify } = hasher
    const all = Promise.all([hash('a'), verify('b', 'x'), hash('c'), verify('d', 'hash of d')])
    for (const [n, seen] of ['a', 'ab', 'abc', 'abcd'].entries()) {
      await settle()
      expect(calls.map(([password]) => password).join('')).toBe(seen)
      finish[n]?.()
    }
    expect(await all).toEqual(['hash of a', false, 'hash of c', true])
  })

  test('holds 32 besides the running one, and refuses the next at once', async () => {
    const { hasher, finish, calls } = slow()
    const accepted = Array.from({ length: 33 }, (_, n) => hasher.hash(String(n)))
    await expect(hasher.hash('one too many')).rejects.toBeInstanceOf(HashQueueFull)
    await expect(hasher.verify('one too many', undefined)).rejects.toBeInstanceOf(HashQueueFull)
    for (let n = 0; n < 33; n++) {
      finish[n]?.()
      await settle()
    }
    expect(await Promise.all(accepted)).toHaveLength(33)
    expect(calls).toHaveLength(33)
  })

  test('prefers those with the fewest failures, then the first to arrive', async () => {
    const { hasher, finish, calls } = slow()
    const wishes = { a: 3, b: 4, c: 5, d: 6, 'new 1': 1, home: 0, 'new 2': 1, e: 5 }
    const all = Object.entries(wishes).map(([password, failures]) => hasher.verify(password, 'x', failures))
    all.splice(6, 0, hasher.hash('change').then(Boolean))
    for (let n = 0; n < 9; n++) {
      await settle()
      finish[n]?.()
    }
    await Promise.all(all)
    expect(calls.map(([password]) => password)).toEqual(['a', 'home', 'change', 'new 1', 'new 2', 'b', 'c', 'e', 'd'])
  })

  test('replaces the one with the most failures by one with fewer', async () => {
    const { hasher, finish, calls } = slow()
    const storm = Promise.allSettled(Array.from({ length: 33 }, (_, n) => hasher.verify(`${n}`, undefined, n + 1)))
    const others = [hasher.verify('home', 'hash of home', 0), hasher.verify('new', 'hash of new', 1)]
    await expect(hasher.verify('as bad as the last', undefined, 31)).rejects.toBeInstanceOf(HashQueueFull)
    for (let n = 0; n < 33; n++) {
      finish[n]?.()
      await settle()
    }
    expect(await Promise.all(others)).toEqual([true, true])
    const refused = (await storm).flatMap(({ status }, n) => (status === 'rejected' ? [n] : []))
    expect(refused).toEqual([31, 32])
    expect(calls).toHaveLength(33)
  })

  test('continues after a failure, one at a time as before', async () => {
    const running = { now: 0, most: 0 }
    const hasher = createPasswordHasher({
      async hash(password) {
        running.most = Math.max(running.most, ++running.now)
        await settle()
        running.now--
        if (password.startsWith('bad')) throw new Error('out of memory')
        return password
      },
      verify: async () => true,
    })
    const outcomes = await Promise.allSettled(['bad 1', 'bad 2', 'bad 3'].map((password) => hasher.hash(password)))
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    const good = ['a', 'b', 'c', 'd']
    expect(await Promise.all(good.map((password) => hasher.hash(password)))).toEqual(good)
    expect(running.most).toBe(1)
  })
})

/** OWASP's second argon2id preset: 19 MiB and 2 passes. Bun's default of 64 MiB starves small machines. */
const ARGON2 = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

/** Hash of an unused password with the same parameters, so that unknown users take as long to check as known ones. */
const DECOY =
  '$argon2id$v=19$m=19456,t=2,p=1$5PsF/9r6csGmKCvKDF/EnRmiYKXubaa12CH4kTTzsNA$ojr24hPG0XiOhzMQXQ1yF2eAiMmJzyP/qDmS7R4djS8'

/** Hashes run off the main thread, one at a time: each takes 19 MiB and about 20 ms of processor time. */
const RUNNING_MAX = 1
const WAITING_MAX = 32

/** Thrown if more password checks are waiting than the machine can process in a few seconds. */
export class HashQueueFull extends Error {
  constructor() {
    super('too many password checks at once')
    this.name = 'HashQueueFull'
  }
}

interface HashFunctions {
  hash(password: string): Promise<string>
  verify(password: string, phc: string): Promise<boolean>
}

const argon2id: HashFunctions = {
  hash: (password) => Bun.password.hash(password, ARGON2),
  verify: (password, phc) => Bun.password.verify(password, phc),
}

interface Waiting {
  readonly failures: number
  readonly start: () => void
  readonly refuse: (error: HashQueueFull) => void
}

export type PasswordHasher = ReturnType<typeof createPasswordHasher>

/** argon2id behind a small queue. Clients with the fewest failures go first. */
export function createPasswordHasher(functions: HashFunctions = argon2id) {
  let running = 0
  const waiting: Waiting[] = []

  function wait(failures: number): Promise<void> {
    if (waiting.length >= WAITING_MAX) {
      const last = waiting.at(-1)
      if (last === undefined || last.failures <= failures) throw new HashQueueFull()
      waiting.pop()
      last.refuse(new HashQueueFull())
    }
    return new Promise((start, refuse) => {
      const behind = waiting.findIndex((each) => each.failures > failures)
      waiting.splice(behind === -1 ? waiting.length : behind, 0, { failures, start, refuse })
    })
  }

  async function queued<T>(failures: number, work: () => Promise<T>): Promise<T> {
    if (running >= RUNNING_MAX) await wait(failures)
    else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next.start()
      else running--
    }
  }

  return {
    /** Returns a PHC string. Throws `HashQueueFull`. */
    hash: (password: string): Promise<string> => queued(0, () => functions.hash(password)),
    /** Without `phc`, takes the same time and returns false. Throws `HashQueueFull`. */
    verify: (password: string, phc: string | undefined, failures: number = 0): Promise<boolean> =>
      queued(failures, async () => {
        if (phc !== undefined) return functions.verify(password, phc)
        await functions.verify(password, DECOY)
        return false
      }),
  }
}

/** What one long request came to. */
export interface LongAnswer {
  readonly status: number
  readonly bytes: number
  readonly ms: number
}

const BLANK_LINE = '\r\n\r\n'

/**
 * Sends a request from a process of its own and throws the answer away, so that this process, which watches how long others wait,
 * is not held up by a large one. `bytesPerMs` makes a slow reader of it.
 */
export async function sendFromElsewhere(
  port: number,
  request: Uint8Array,
  bytesPerMs = Number.POSITIVE_INFINITY,
): Promise<LongAnswer> {
  const child = Bun.spawn([process.execPath, import.meta.path, String(port), String(bytesPerMs)], {
    stdin: request,
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const answer = JSON.parse(await new Response(child.stdout).text()) as LongAnswer
  if (answer.status !== 200) throw new Error(`a long request was answered ${answer.status}`)
  return answer
}

async function send(port: number, bytesPerMs: number): Promise<LongAnswer> {
  const request = await Bun.stdin.bytes()
  const { promise, resolve, reject } = Promise.withResolvers<LongAnswer>()
  const started = performance.now()
  let unsent: Uint8Array = request
  let head = ''
  let bytes = 0
  let tail = ''
  let end = Number.POSITIVE_INFINITY
  Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      binaryType: 'buffer',
      open: write,
      drain: write,
      data(socket, data) {
        if (!head.includes(BLANK_LINE)) {
          head += data.toString('latin1')
          const [fields = '', body] = head.split(BLANK_LINE, 2)
          const length = /\r\ncontent-length: (\d+)/i.exec(fields)?.[1]
          if (body !== undefined && length !== undefined) end = fields.length + BLANK_LINE.length + Number(length)
        }
        bytes += data.length
        tail = (tail + data.subarray(-5).toString('latin1')).slice(-5)
        if (bytes >= end || (end === Number.POSITIVE_INFINITY && tail === '0\r\n\r\n')) {
          resolve({ status: Number(head.slice(9, 12)), bytes, ms: performance.now() - started })
          socket.end()
        } else if (bytesPerMs !== Number.POSITIVE_INFINITY) {
          socket.pause()
          setTimeout(() => socket.resume(), data.length / bytesPerMs)
        }
      },
      close: () => reject(new Error(`the answer broke off after ${bytes} bytes`)),
      error: (_, error) => reject(error),
    },
  }).catch(reject)
  return promise

  function write(socket: { write(data: Uint8Array): number }): void {
    if (unsent.length > 0) unsent = unsent.subarray(Math.max(0, socket.write(unsent)))
  }
}

if (import.meta.main) {
  const [port, bytesPerMs] = process.argv.slice(2).map(Number)
  process.stdout.write(JSON.stringify(await send(port ?? 0, bytesPerMs ?? Number.POSITIVE_INFINITY)))
}

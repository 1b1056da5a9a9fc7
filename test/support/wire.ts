import { connect, type Socket } from 'node:net'

/** Opens a bare connection, for sending a request in parts. Rejects if the port is closed. */
export async function openWire(port: number) {
  const socket = await opened(port)
  let received = ''
  let isClosed = false
  let wake: () => void = () => undefined
  socket.setEncoding('latin1')
  socket.on('data', (text: string) => {
    received += text
    wake()
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    isClosed = true
    wake()
  })

  async function until(done: () => boolean): Promise<void> {
    while (!done()) {
      // Supports one waiter at a time, which is enough for tests.
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }

  return {
    send: (text: string) => void socket.write(text),
    /** Sends, and waits until the peer accepts more, responds, or closes. */
    async sent(text: string) {
      if (socket.write(text)) return
      let isTaken = false
      socket.once('drain', () => {
        isTaken = true
        wake()
      })
      const before = received
      await until(() => isTaken || isClosed || received !== before)
    },
    received: () => received,
    /** Waits for `part` at or after the offset `from`, or for the peer to close; returns everything received. */
    async contains(part: string, from = 0) {
      await until(() => isClosed || received.includes(part, from))
      return received
    },
    /** Stops reading, like a slow client. */
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    /** Waits for `end` at the end, or for the peer to close; returns everything received. */
    async until(end: string) {
      await until(() => isClosed || received.endsWith(end))
      return received
    },
    /** Resolves when the peer has closed. */
    closed: () => until(() => isClosed),
    [Symbol.dispose]: () => void socket.destroy(),
  }
}

function opened(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
    socket.once('error', reject)
  })
}

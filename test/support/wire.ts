import { connect, type Socket } from 'node:net'

/** A bare connection, for sending half a request, waiting, and sending the rest. Rejects when nobody listens. */
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
      // One waiter at a time is all a test needs.
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }

  return {
    send: (text: string) => void socket.write(text),
    /** As `send`; settles when the peer takes more, or answers, or has closed. */
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
    /** Everything received so far. */
    received: () => received,
    /** Everything received, once `part` is in it, after so many characters, or the peer has closed. */
    async contains(part: string, from = 0) {
      await until(() => isClosed || received.includes(part, from))
      return received
    },
    /** Stops taking what arrives, as a slow client does. */
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    /** Everything received, once it ends with `end` or the peer has closed. */
    async until(end: string) {
      await until(() => isClosed || received.endsWith(end))
      return received
    },
    /** Settles when the peer has closed. */
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

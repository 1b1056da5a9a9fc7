import type { Socket } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { CERTIFICATE, PRIVATE_KEY } from './certificate.ts'

/** Step of an SMTP session. */
type Step = 'greeting' | 'sign-in' | 'sender' | 'recipient' | 'content'

export interface SmtpServerSettings {
  /** Encryption by STARTTLS, from the first byte, or none. */
  readonly security?: 'starttls' | 'tls' | 'none'
  readonly certificate?: string
  /** Account that clients must sign in with; without it, sign-ins fail. */
  readonly account?: { readonly user: string; readonly password: string }
  readonly refuse?: { readonly at: Step; readonly code: number; readonly words?: string }
  /** Drops the connection during the message. */
  readonly isBreakingOff?: boolean
  /** Delays the reply to the message until this settles. */
  readonly hold?: Promise<void>
}

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly raw: string
  readonly isSecure: boolean
  readonly user: string | undefined
  /** Name that the client sent with EHLO. */
  readonly helo: string
}

export interface TestSmtpServer extends AsyncDisposable {
  readonly host: string
  readonly port: number
  readonly mails: readonly ReceivedMail[]
  /** Steps of all clients, in order. */
  readonly steps: readonly Step[]
  /** Returns the oldest mail to this address that it has not returned before; waits for one if necessary. */
  nextTo(address: string): Promise<ReceivedMail>
  /** Resolves when a client waits for `hold`. */
  readonly held: Promise<void>
}

const HOST = '127.0.0.1'

/** Starts a real mail server on a free port of the loopback interface. */
export async function startSmtpServer(settings: SmtpServerSettings = {}): Promise<TestSmtpServer> {
  const { security = 'starttls', certificate = CERTIFICATE, account, refuse, isBreakingOff = false, hold } = settings
  const mails: ReceivedMail[] = []
  const steps: Step[] = []
  const sockets = new Set<Socket>()
  const held = Promise.withResolvers<void>()
  const handedOut = new Set<ReceivedMail>()
  let arrival = Promise.withResolvers<void>()

  async function nextTo(address: string): Promise<ReceivedMail> {
    for (;;) {
      const mail = mails.find((each) => each.to.includes(address) && !handedOut.has(each))
      if (mail) {
        handedOut.add(mail)
        return mail
      }
      await arrival.promise
    }
  }

  function verdict(step: Step): Error | undefined {
    steps.push(step)
    return refuse?.at === step ? refusal(refuse.code, refuse.words ?? 'not today') : undefined
  }

  const options: SMTPServerOptions = {
    key: PRIVATE_KEY,
    cert: certificate,
    secure: security === 'tls',
    disabledCommands: [...(security === 'starttls' ? [] : ['STARTTLS']), ...(account ? [] : ['AUTH'])],
    authOptional: !account,
    // Leaves it to the client not to send the password unencrypted.
    allowInsecureAuth: true,
    disableReverseLookup: true,
    onConnect: (_session, callback) => callback(verdict('greeting')),
    onMailFrom: (_address, _session, callback) => callback(verdict('sender')),
    onRcptTo: (_address, _session, callback) => callback(verdict('recipient')),
    onAuth({ username, password }, _session, callback) {
      const error = verdict('sign-in')
      const isRight = username === account?.user && password === account?.password
      if (isRight && !error) callback(null, { user: username })
      else callback(error ?? refusal(535, 'Authentication credentials invalid'))
    },
    onData(stream, { envelope: { mailFrom, rcptTo }, secure, user, hostNameAppearsAs }, callback) {
      const chunks: Uint8Array[] = []
      stream.on('data', (chunk) => {
        chunks.push(chunk)
        if (isBreakingOff) for (const socket of sockets) socket.destroy()
      })
      stream.on('end', async () => {
        held.resolve()
        await hold
        const error = verdict('content')
        if (error) return callback(error)
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString(),
          isSecure: secure,
          user: user || undefined,
          helo: String(hostNameAppearsAs),
        })
        arrival.resolve()
        arrival = Promise.withResolvers()
        callback()
      })
    },
  }
  const server = new SMTPServer(options)
  // Ignore clients that disconnect early.
  server.on('error', () => undefined)
  server.server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const { promise: listening, resolve } = Promise.withResolvers<void>()
  server.listen(0, HOST, resolve)
  await listening
  const address = server.server.address()
  if (address === null || typeof address === 'string') throw new Error('the mail server listens nowhere')

  return {
    host: HOST,
    port: address.port,
    mails,
    steps,
    nextTo,
    held: held.promise,
    [Symbol.asyncDispose]() {
      const { promise, resolve: closed } = Promise.withResolvers<void>()
      server.close(closed)
      for (const socket of sockets) socket.destroy()
      return promise
    },
  }
}

function refusal(responseCode: number, words: string): Error {
  return Object.assign(new Error(words), { responseCode })
}

/**
 * Parses a message; names of headers are in lower case. Throws if a header occurs twice, or if the message is not one
 * text part and one HTML part.
 */
export function parseMail(raw: string) {
  const { headers, body } = entity(raw)
  const [type, boundary] = (headers.get('content-type') ?? '').split(/;\s*boundary=/)
  if (type !== 'multipart/alternative' || !boundary) throw new Error(`a mail of the type ${type}`)
  const [, text = '', html = '', end, ...more] = `\r\n${body}`.split(`\r\n--${boundary.replaceAll('"', '')}`)
  if (!end?.startsWith('--') || more.length > 0) throw new Error('not two parts')
  return {
    headers,
    subject: headers.get('subject') ?? '',
    text: content(text, 'text/plain'),
    html: content(html, 'text/html'),
  }
}

function entity(raw: string) {
  const [head = '', ...bodies] = raw.split('\r\n\r\n')
  const headers = new Map<string, string>()
  for (const line of head.trim().split(/\r\n(?![ \t])/)) {
    const [, name, value] = /^([\w-]+): (.*)$/.exec(line.replaceAll('\r\n', '')) ?? []
    if (name === undefined || value === undefined) throw new Error(`no header: ${line}`)
    const key = name.toLowerCase()
    if (headers.has(key)) throw new Error(`two headers ${name}`)
    const inWords = (_all: string, word: string) => unquoted(word.replaceAll('_', ' '))
    headers.set(key, value.replaceAll(/=\?utf-8\?q\?([^?]*)\?=/gi, inWords))
  }
  return { headers, body: bodies.join('\r\n\r\n') }
}

function content(part: string, type: string): string {
  const { headers, body } = entity(part)
  if (headers.get('content-type') !== `${type}; charset=utf-8`) throw new Error(`not ${type}`)
  const encoding = headers.get('content-transfer-encoding')
  const text = encoding === 'base64' ? Buffer.from(body, 'base64').toString() : body
  return (encoding === 'quoted-printable' ? unquoted(text) : text).replaceAll('\r\n', '\n')
}

function unquoted(text: string): string {
  const bytes = text.replaceAll('=\r\n', '').replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => {
    return String.fromCharCode(Number.parseInt(hex, 16))
  })
  return Buffer.from(bytes, 'latin1').toString()
}

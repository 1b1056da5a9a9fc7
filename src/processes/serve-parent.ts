import process from 'node:process'

export type Respond<Response> = (response: Response) => void

/** Makes this process a child of the server, which answers its requests and ends with it. */
export function serveParent<Request, Response>(
  purpose: string,
  prepare: (respond: Respond<Response>) => (request: Request) => void,
): void {
  if (!process.send) {
    process.stderr.write(`podstep starts this process itself ${purpose}; see podstep help\n`)
    process.exit(2)
  }
  const handle = prepare((response) => void process.send?.(response))
  process.on('message', (request: Request) => handle(request))
  process.on('disconnect', () => process.exit(0))
  // Ignore signals, which may go to all processes of the service: the server decides when this one ends.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
}

/** Milliseconds of processor time that this process has used. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

import { type Html, html } from '../../../formats/html.ts'
import type { ApiOperation, Content, Method } from '../document-types.ts'

/** Where the server of all examples is; invented, like everything in them. */
export const EXAMPLE_HOST = 'https://pods.example'

/** Characters that fit beside the words on a wide screen. */
const LINE_MAX = 60

interface ExampleParts {
  readonly method: Method
  /** With the sub-path, if there is one. */
  readonly path: string
  readonly operation: ApiOperation
}

/** A call as one types it into a shell. */
export function requestExample(parts: ExampleParts): Html {
  const [first] = Object.entries(parts.operation.requestBody?.content ?? {})
  const options = ['curl', ...credentials(parts.operation), ...verb(parts.method, first)].join(' ')
  const url = quoteUrl(urlOf(parts))
  const start = options.length + url.length < LINE_MAX ? `${options} ${url}` : `${options} \\\n  ${url}`
  return block('Request', first ? `${start} \\\n  ${body(...first)}` : start)
}

/** What comes back, in each of its formats. */
export function bodyExamples(title: string, content: Content): Html[] {
  return Object.entries(content).flatMap(([type, { example }]) =>
    example === undefined ? [] : [block(title, asText(example), type)],
  )
}

export function block(title: string, text: string, type?: string): Html {
  // A box that scrolls must be reachable with the keyboard.
  return html`<figure class="example"><figcaption>${title}${
    type === undefined ? undefined : html` <span>${type}</span>`
  }</figcaption><pre tabindex="0"><code>${text.trimEnd()}</code></pre></figure>`
}

function asText(example: unknown): string {
  return typeof example === 'string' ? example : compact(example)
}

/** JSON with a line for each field, but lists of plain values on one line while they are short. */
function compact(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value)
  if (typeof value !== 'object' || value === null || (flat.length + indent.length < LINE_MAX && !flat.includes('{')))
    return flat
  const inner = `${indent}  `
  const [open, close, lines] = Array.isArray(value)
    ? ['[', ']', value.map((item: unknown) => compact(item, inner))]
    : ['{', '}', Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${compact(item, inner)}`)]
  return `${open}\n${lines.map((line) => inner + line).join(',\n')}\n${indent}${close}`
}

function urlOf({ path, operation }: ExampleParts): string {
  const values = new Map(operation.parameters.map(({ name, example, schema }) => [name, example ?? schema.enum?.[0]]))
  const filled = path.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => String(values.get(name) ?? placeholder))
  const since = values.get('since')
  return `${EXAMPLE_HOST}${filled}${since === undefined ? '' : `?since=${String(since)}`}`
}

function credentials({ security }: ApiOperation): string[] {
  return security === undefined || security.length === 0 ? [] : ['-u ida']
}

/** curl sends GET without a body and POST with one. */
function verb(method: Method, body: readonly [string, unknown] | undefined): string[] {
  const usual = body === undefined ? 'get' : 'post'
  return method === usual ? [] : [`-X ${method.toUpperCase()}`]
}

function body(type: string, { example }: { readonly example?: unknown }): string {
  return type === 'application/json' ? `--json ${quote(asText(example))}` : `--data-binary ${quote(asText(example))}`
}

function quoteUrl(url: string): string {
  return /[?&]/.test(url) ? quote(url) : url
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

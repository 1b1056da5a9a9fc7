import { type Html, html, inline, prose, trusted } from '../../../formats/html.ts'
import type { ApiOperation, ApiResponse, Content, Method, Parameter } from '../document-types.ts'
import { type Lookup, schemaView, typeName } from './schema-view.ts'

/** One operation, collapsed. Its anchor is inside, so that browsers expand it when a link leads there. */
export function operationView(
  parts: { method: Method; path: string; prefix: string; operation: ApiOperation },
  lookup: Lookup,
): Html {
  const { method, path, operation } = parts
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  const success = lookup.response(responses['200'])
  return html`<details class="operation">
<summary><h3>${badge(method)} <span class="path">${pathView(path)}</span> <span class="gist">${inline(summary)}</span></h3></summary>
<div class="body" id="${operationId}">
<div class="words">
${description === undefined ? undefined : prose(description)}
<p class="access">${access(operation)}</p>
${parametersView(parameters, lookup)}
${requestBody ? html`<h4>Request body</h4>${contentView(requestBody.content, lookup)}` : undefined}
<h4>Response</h4>
<p><strong class="status">200</strong> ${inline(success.description)}</p>
${headersView(success)}${success.content ? contentView(success.content, lookup, success.description) : undefined}
${errorsView(responses, lookup)}
</div>
<div class="examples">
${requestExample({ ...parts, path: parts.prefix + path })}
${bodyExamples('Response', success.content ?? {})}
</div>
</div>
</details>
`
}

export function badge(method: Method): Html {
  return html`<span class="badge ${method}">${method.toUpperCase()}</span>`
}

function pathView(path: string): Html {
  return html`${path
    .split(/(\{\w+\})/)
    .map((part) =>
      part.startsWith('{')
        ? html`<var>${part}</var>`
        : part.split(/(?<=\/)/).map((piece) => html`${piece}${trusted('<wbr>')}`),
    )}`
}

const WAYS = [
  ['basic', 'Basic'],
  ['bearer', 'Bearer'],
  ['session', 'the session cookie'],
] as const

function joinWords(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' or ')
}

function access({ security }: ApiOperation): Html {
  if (security === undefined || security.length === 0) return html`Open to everybody.`
  const isOptional = security.some((scheme) => Object.keys(scheme).length === 0)
  const ways = WAYS.filter(([name]) => security.some((scheme) => name in scheme)).map(([, words]) => words)
  const link = html`<a href="#sign-in">${isOptional ? 'Basic or the session cookie' : joinWords(ways)}</a>`
  return isOptional ? html`With ${link}, or without.` : html`Signed in with ${link}.`
}

function parametersView(parameters: readonly Parameter[], lookup: Lookup): Html | undefined {
  if (parameters.length === 0) return undefined
  const rows = parameters.map(
    ({
      name,
      in: location,
      required,
      description,
      schema,
    }) => html`<tr><th scope="row"><code class="name">${name}</code>
<span class="type">${location}${required ? undefined : ', optional'}</span></th><td>${inline(description)}${
      schema.enum ? html` <span class="type">${typeName(schema, lookup)}</span>` : undefined
    }</td></tr>`,
  )
  return html`<h4>Parameters</h4><table><thead><tr><th scope="col">Name</th><th scope="col">Meaning</th></tr></thead><tbody>${rows}</tbody></table>`
}

function contentView(content: Content, lookup: Lookup, shownText?: string): Html {
  const bodies = Object.entries(content)
  const [, preferred] = bodies.find(([type]) => type === 'application/json') ?? bodies[0] ?? []
  return html`<p class="media">${bodies.map(([type]) => html`<code>${type}</code> `)}</p>${
    preferred ? schemaView(preferred.schema, lookup, shownText) : undefined
  }`
}

function headersView({ headers = {} }: ApiResponse): Html | undefined {
  const items = Object.entries(headers).map(
    ([name, { description }]) =>
      html`<li><p><code class="name">${name}</code> <span class="type">header</span></p><p>${inline(description)}</p></li>`,
  )
  return items.length === 0 ? undefined : html`<ul class="fields">${items}</ul>`
}

function errorsView(responses: ApiOperation['responses'], lookup: Lookup): Html | undefined {
  const rows = Object.entries(responses)
    .filter(([status]) => status !== '200')
    .map(([status, response]) => {
      const { description } = lookup.response(response)
      return html`<tr><th scope="row"><strong class="status">${status}</strong></th><td>${inline(description)}</td></tr>`
    })
  if (rows.length === 0) return undefined
  return html`<h4>Errors</h4><table class="statuses"><thead><tr><th scope="col">Status</th><th scope="col">When</th></tr></thead><tbody>${rows}</tbody></table>
<p>Each is an <a href="#errors">error object</a>.</p>`
}

export const EXAMPLE_HOST = 'https://pods.example'

const LINE_MAX = 60

interface ExampleParts {
  readonly method: Method
  readonly path: string
  readonly operation: ApiOperation
}

export function requestExample(parts: ExampleParts): Html {
  const [first] = Object.entries(parts.operation.requestBody?.content ?? {})
  const options = ['curl', ...credentials(parts.operation), ...verb(parts.method, first)].join(' ')
  const url = quoteUrl(urlOf(parts))
  const start = options.length + url.length < LINE_MAX ? `${options} ${url}` : `${options} \\\n  ${url}`
  return block('Request', first ? `${start} \\\n  ${body(...first)}` : start)
}

export function bodyExamples(title: string, content: Content): Html[] {
  return Object.entries(content).flatMap(([type, { example }]) =>
    example === undefined ? [] : [block(title, asText(example), type)],
  )
}

export function block(title: string, text: string, type?: string): Html {
  // Scrollable boxes must be reachable with the keyboard.
  return html`<figure class="example"><figcaption>${title}${
    type === undefined ? undefined : html` <span>${type}</span>`
  }</figcaption><pre tabindex="0"><code>${text.trimEnd()}</code></pre></figure>`
}

function asText(example: unknown): string {
  return typeof example === 'string' ? example : compact(example)
}

/** Formats JSON with a line for each field, but short lists of plain values on one line. */
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
  if (security === undefined || security.length === 0) return []
  return isBrowserOnly(security) ? ['-b sessionid=…'] : ['-u ida']
}

function isBrowserOnly(security: NonNullable<ApiOperation['security']>): boolean {
  return security.every((scheme) => 'session' in scheme)
}

/** Returns the option for the method unless it is curl's default: GET without a body, POST with one. */
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

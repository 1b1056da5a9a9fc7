import { type Html, html, inline, prose, trusted } from '../../../formats/html.ts'
import type { ApiOperation, ApiResponse, Content, Method, Parameter } from '../document-types.ts'
import { bodyExamples, requestExample } from './example-view.ts'
import type { Lookup } from './lookup.ts'
import { schemaView, typeName } from './schema-view.ts'

export interface OperationParts {
  readonly method: Method
  readonly path: string
  /** Sub-path before `path`, or ''. */
  readonly prefix: string
  readonly operation: ApiOperation
}

/**
 * One operation, folded. Its anchor is inside of the fold, because a browser opens what the target of a link is in, but not what it is.
 */
export function operationView(parts: OperationParts, lookup: Lookup): Html {
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
<h4>Answer</h4>
<p><strong class="status">200</strong> ${inline(success.description)}</p>
${headersView(success)}${success.content ? contentView(success.content, lookup, success.description) : undefined}
${refusalsView(responses, lookup)}
</div>
<div class="examples">
${requestExample({ ...parts, path: parts.prefix + path })}
${bodyExamples('Answer', success.content ?? {})}
</div>
</div>
</details>
`
}

export function badge(method: Method): Html {
  return html`<span class="badge ${method}">${method.toUpperCase()}</span>`
}

/** Placeholders stand out, and a long path may break after a slash. */
function pathView(path: string): Html {
  return html`${path
    .split(/(\{\w+\})/)
    .map((part) =>
      part.startsWith('{')
        ? html`<var>${part}</var>`
        : part.split(/(?<=\/)/).map((piece) => html`${piece}${trusted('<wbr>')}`),
    )}`
}

function access({ security }: ApiOperation): Html {
  if (security === undefined || security.length === 0) return html`Open to everybody.`
  const isOptional = security.some((way) => Object.keys(way).length === 0)
  const link = html`<a href="#sign-in">Basic or the session cookie</a>`
  return isOptional ? html`With ${link}, or without.` : html`Signed in with ${link}.`
}

function parametersView(parameters: readonly Parameter[], lookup: Lookup): Html | undefined {
  if (parameters.length === 0) return undefined
  const rows = parameters.map(
    ({ name, in: place, required, description, schema }) => html`<tr><th scope="row"><code class="name">${name}</code>
<span class="type">${place}${required ? undefined : ', optional'}</span></th><td>${inline(description)}${
      schema.enum ? html` <span class="type">${typeName(schema, lookup)}</span>` : undefined
    }</td></tr>`,
  )
  return html`<h4>Parameters</h4><table><thead><tr><th scope="col">Name</th><th scope="col">Meaning</th></tr></thead><tbody>${rows}</tbody></table>`
}

/** The schema once, whatever number of formats the body comes in; without its description where that has been said already. */
function contentView(content: Content, lookup: Lookup, said?: string): Html {
  const bodies = Object.entries(content)
  const [, shown] = bodies.find(([type]) => type === 'application/json') ?? bodies[0] ?? []
  return html`<p class="media">${bodies.map(([type]) => html`<code>${type}</code> `)}</p>${
    shown ? schemaView(shown.schema, lookup, said) : undefined
  }`
}

function headersView({ headers = {} }: ApiResponse): Html | undefined {
  const items = Object.entries(headers).map(
    ([name, { description }]) =>
      html`<li><p><code class="name">${name}</code> <span class="type">header</span></p><p>${inline(description)}</p></li>`,
  )
  return items.length === 0 ? undefined : html`<ul class="fields">${items}</ul>`
}

function refusalsView(responses: ApiOperation['responses'], lookup: Lookup): Html | undefined {
  const rows = Object.entries(responses)
    .filter(([status]) => status !== '200')
    .map(([status, response]) => {
      const { description } = lookup.response(response)
      return html`<tr><th scope="row"><strong class="status">${status}</strong></th><td>${inline(description)}</td></tr>`
    })
  if (rows.length === 0) return undefined
  return html`<h4>Refusals</h4><table class="refusals"><thead><tr><th scope="col">Status</th><th scope="col">When</th></tr></thead><tbody>${rows}</tbody></table>
<p>Each is an <a href="#errors">error object</a>.</p>`
}

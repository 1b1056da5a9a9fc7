import { type Html, html, inline, prose, trusted } from '../../../formats/html.ts'
import { sha256 } from '../../../platform/crypto.ts'
import { brandCss, MARK_CSS, MARK_SVG } from '../../responses/brand.ts'
import type { ApiDocument, ApiOperation, Method, PathItem } from '../document-types.ts'
import { type Chapter, errorTable, guideChapters } from './guide.ts'
import { block, operationView } from './operation-view.ts'
import { createLookup, type Lookup, schemaView } from './schema-view.ts'
import { PAGE_CSS } from './style.ts'

const METHODS: readonly Method[] = ['get', 'put', 'post', 'delete']

/** The one style element, exactly: the page's policy allows its hash. */
const STYLE = brandCss() + MARK_CSS + PAGE_CSS

interface Listed {
  readonly method: Method
  readonly path: string
  readonly operation: ApiOperation
  /** At the root, whatever the sub-path. */
  readonly atRoot: boolean
}

/** The whole page, from the document alone. Links are relative, so that it works under any sub-path. */
function renderPage(document: ApiDocument): string {
  const { info, tags } = document
  const lookup = createLookup(document)
  const prefix = document.servers[0]?.url.replace(/\/$/, '') ?? ''
  const chapters = [...guideChapters(prefix), errorChapter(lookup)]
  const operations = listOperations(document.paths)
  const sections = tags.map((tag) => ({
    ...tag,
    // The prefix keeps it apart from operations, whose anchors are their names.
    id: `tag-${slug(tag.name)}`,
    operations: operations.filter(({ operation }) => operation.tags.includes(tag.name)),
  }))
  return html`${trusted('<!doctype html>')}
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title} API</title>
${trusted(`<style>${STYLE}</style>`)}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="side">
<p class="brand">${trusted(MARK_SVG)}<span class="wordmark">${info.title}</span> <span class="what">API</span></p>
<nav aria-label="Contents">${contents(chapters, sections)}</nav>
</header>
<main id="content">
<h1>${info.title} API</h1>
<div class="lede">${prose(info.description)}</div>
<p class="meta">Version ${info.version} · <a href="${prefix}/openapi.json">openapi.json</a>, the same for machines (OpenAPI 3.1)</p>
${chapters.map(({ id, title, body }) => html`<section class="chapter" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${body}</section>\n`)}
${sections.map(
  ({ id, name, description, operations }) =>
    html`<section aria-labelledby="${id}"><h2 id="${id}">${name}</h2><p>${inline(description)}</p>
${operations.map((listed) => operationView({ ...listed, prefix: listed.atRoot ? '' : prefix }, lookup))}</section>\n`,
)}
</main>
</body>
</html>
`.html
}

function contents(
  chapters: readonly Chapter[],
  sections: readonly { id: string; name: string; operations: readonly Listed[] }[],
) {
  const entry = (id: string, title: string | Html, inner?: Html) => html`<li><a href="#${id}">${title}</a>${inner}</li>`
  const listed = ({ operation: { operationId, summary } }: Listed) => entry(operationId, inline(summary))
  return html`<ul>${chapters.map(({ id, title }) => entry(id, title))}${sections.map(({ id, name, operations }) =>
    entry(id, name, html`<ul>${operations.map(listed)}</ul>`),
  )}</ul>`
}

function errorChapter(lookup: Lookup): Chapter {
  const body = html`<p>Every error response, of every operation, is a JSON object of this form:</p>
${block('Response', '{\n  "code": 400,\n  "error": "validation_failed",\n  "message": "new_password must have at least 4 characters",\n  "field": "new_password"\n}', 'application/json')}
${schemaView({ $ref: '#/components/schemas/Error' }, lookup)}
${errorTable()}`
  return { id: 'errors', title: 'Errors', body }
}

function listOperations(paths: ApiDocument['paths']): Listed[] {
  return Object.entries(paths).flatMap(([path, item]) => ofPath(path, item))
}

/** In the order of the document. */
function ofPath(path: string, item: PathItem): Listed[] {
  return Object.keys(item).flatMap((key) => {
    const method = METHODS.find((known) => known === key)
    if (!method) return []
    const operation = item[method]
    return operation ? [{ method, path, operation, atRoot: item.servers !== undefined }] : []
  })
}

function slug(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}

/** The API description as a page for people: plain HTML without scripts. `csp` allows its own style and nothing else. */
export function docsPage(document: ApiDocument): { html: string; csp: string } {
  const hash = Buffer.from(sha256(STYLE)).toString('base64')
  const csp = [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  return { html: renderPage(document), csp: csp.join('; ') }
}

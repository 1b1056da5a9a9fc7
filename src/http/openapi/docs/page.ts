import { brandCss, MARK_CSS, MARK_SVG } from '../../../brand.ts'
import { type Html, html, htmlPage, inline, prose, trusted } from '../../../formats/html.ts'
import { sha256 } from '../../../platform/crypto.ts'
import type { ApiDocument, ApiOperation, Method, PathItem } from '../document-types.ts'
import { type Chapter, errorTable, guideChapters } from './guide.ts'
import { block, operationView } from './operation-view.ts'
import { createLookup, type Lookup, schemaView } from './schema-view.ts'

const METHODS: readonly Method[] = ['get', 'put', 'post', 'delete']

const PAGE_CSS = minify(`
*, ::before, ::after { box-sizing: border-box }
html { font: 100%/1.6 var(--font-text); background: var(--ground); color: var(--ink);
  -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 1.5rem }
body { margin: 0 }
h1, h2, h3, h4, p, ul, dl, dd, table, figure, pre { margin: 0 }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance }
a { color: var(--accent); text-underline-offset: .18em; text-decoration-thickness: .06em }
a:hover { text-decoration-thickness: .14em }
:focus-visible { outline: .17rem solid var(--accent); outline-offset: .15rem; border-radius: .2rem }
code, pre, .path { font-family: var(--font-code); font-size: .9em }
:not(pre) > code { overflow-wrap: anywhere }
.skip { position: absolute; left: -99rem }
.skip:focus { left: 1rem; top: 1rem; z-index: 1; padding: .5rem 1rem; background: var(--surface) }

.side { padding: 1.5rem 1.25rem; border-bottom: 1px solid var(--line) }
.brand { display: flex; align-items: center; gap: .6rem; font-size: 1.3rem; line-height: 1 }
.mark { width: 1.75rem; height: 1.75rem; flex: none }
.wordmark { font-weight: 650; letter-spacing: -.025em }
.what { color: var(--muted); font-size: 1rem; padding-top: .2rem }
nav { margin-top: 1.1rem; font-size: .925rem }
nav ul { list-style: none; padding: 0 }
nav > ul { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem }
nav a { display: inline-block; padding: .3rem 0; text-decoration: none; line-height: 1.35 }
nav a:hover { text-decoration: underline }
nav ul ul { display: none }

main { padding: 2.25rem 1.25rem 5rem; min-width: 0; max-width: 82rem }
h1 { font-size: clamp(2rem, 1.6rem + 2vw, 2.75rem); font-weight: 680; letter-spacing: -.03em }
h2 { font-size: 1.6rem; font-weight: 650; letter-spacing: -.02em; margin: 3.75rem 0 .75rem }
h4 { font-size: 1rem; font-weight: 650; margin: 1.75rem 0 .5rem }
p + p, p + ul, p + dl, ul + p, dl + p, figure + p, .fields + p, table + p { margin-top: .75rem }
main > p, .lede, .chapter, section > p { max-width: 44rem }
.lede { margin-top: 1rem; font-size: 1.125rem }
.meta { margin-top: 1rem; color: var(--muted); font-size: .925rem }
.chapter ul:not(.fields) { padding-left: 1.15rem }
.chapter ul:not(.fields) > li + li { margin-top: .4rem }
.chapter :not(pre) > code:not(.name), .words p > code:not(.name), td code { background: var(--sunken); padding: .1em .3em; border-radius: .25em }
dt { font-weight: 650; margin-top: .75rem }

.operation { margin-top: .75rem; background: var(--surface); border: 1px solid var(--line); border-radius: .6rem }
section > p + .operation { margin-top: 1.5rem }
summary { list-style: none; cursor: pointer; border-radius: .6rem; padding: .8rem 2.75rem .8rem 1rem; position: relative }
summary::-webkit-details-marker { display: none }
summary::after { content: ""; position: absolute; right: 1.2rem; top: 1.2rem; width: .5rem; height: .5rem;
  border: solid var(--muted); border-width: 0 .11rem .11rem 0; transform: rotate(45deg) }
[open] > summary::after { transform: translateY(.25rem) rotate(225deg) }
summary:hover .path { text-decoration: underline; text-decoration-color: var(--line); text-underline-offset: .3em }
h3 { font-size: 1rem; font-weight: 400; display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem .75rem }
.path { font-weight: 550; min-width: 0; flex: 1 1 0; overflow-wrap: anywhere }
.path var { font-style: normal; font-weight: 400; color: var(--muted) }
.gist { flex-basis: 100%; color: var(--muted); font-size: .95rem }
.badge { font: 650 .72rem/1 var(--font-text); letter-spacing: .05em; padding: .35rem 0; border-radius: .3rem;
  width: 4.1rem; text-align: center; flex: none; align-self: flex-start }
.get { color: var(--get); background: var(--get-soft) }
.post { color: var(--post); background: var(--post-soft) }
.put { color: var(--put); background: var(--put-soft) }
.delete { color: var(--delete); background: var(--delete-soft) }

.body { border-top: 1px solid var(--line); padding: 1.1rem 1rem 1.4rem; scroll-margin-top: 5.5rem;
  display: grid; gap: 1.5rem 2.25rem; grid-template-columns: minmax(0, 1fr) }
.access { color: var(--muted); font-size: .95rem }
.media { margin-bottom: .4rem }
.media code { background: none !important; padding: 0 !important; margin-right: .75rem; color: var(--muted) }
.type, .optional { color: var(--muted); font-size: .9rem }
.optional { font-style: italic }
.name { font-weight: 650 }
.fields { list-style: none; padding: 0; margin-top: .6rem; border-top: 1px solid var(--line) }
.fields > li { padding: .5rem 0; border-bottom: 1px solid var(--line); margin: 0 }
.fields p + p { margin-top: .1rem }
.fields .fields { margin: .5rem 0 0 .2rem; padding-left: .9rem; border: 0; border-left: .14rem solid var(--line) }
.fields .fields > li:last-child { border: 0; padding-bottom: 0 }
table { border-collapse: collapse; width: 100%; font-size: .95rem; margin-top: .5rem }
thead { font-size: .85rem; color: var(--muted) }
th, td { text-align: left; vertical-align: top; padding: .5rem .9rem .5rem 0; border-bottom: 1px solid var(--line); font-weight: 400 }
td { width: 70% }
.statuses td, .errors td { width: auto }
.statuses th:first-child { width: 4rem }
tbody .type { display: block }
th .name { white-space: nowrap }
.errors { margin-top: 1.5rem }
.errors [colspan] { padding-top: 1.5rem; color: var(--muted) }
.errors .status { color: var(--ink); margin-right: .25rem }
.errors [scope=row] { width: 13.5rem }
.status { font-weight: 650; font-variant-numeric: tabular-nums }

.example { margin-top: 1rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--sunken); overflow: hidden }
.examples .example:first-child { margin-top: 0 }
figcaption { padding: .45rem .9rem; font-size: .82rem; font-weight: 600; border-bottom: 1px solid var(--line) }
figcaption span { font-weight: 400; color: var(--muted); margin-left: .4rem }
pre { padding: .75rem .9rem; overflow-x: auto; font-size: .8125rem; line-height: 1.6; tab-size: 2 }
pre:focus-visible { outline-offset: -.2rem }
pre code { font-size: inherit }

@media (min-width: 62rem) {
  body { display: grid; grid-template-columns: 19rem minmax(0, 1fr) }
  .side { position: sticky; top: 0; height: 100vh; overflow-y: auto; border: 0; border-right: 1px solid var(--line);
    padding: 2rem 1.5rem 3rem 1.75rem; scrollbar-width: thin }
  main { padding: 3.5rem 3rem 8rem 4rem }
  nav { margin-top: 2rem }
  nav > ul { display: block }
  nav > ul > li > a { font-weight: 600; color: var(--ink) }
  nav > ul > li { margin-top: .35rem }
  nav ul ul { display: block; margin: .1rem 0 .8rem; padding-left: .8rem; border-left: 1px solid var(--line) }
  nav ul ul a { color: var(--muted); padding: .22rem 0 }
  nav ul ul a:hover { color: var(--accent) }
}
@media (min-width: 88rem) {
  .body { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); padding: 1.4rem 1.5rem 1.75rem }
  .examples { position: sticky; top: 1.5rem; align-self: start }
}
@media (prefers-reduced-motion: no-preference) {
  summary::after { transition: transform .15s }
}
@media print {
  :root { color-scheme: light }
  html { font-size: 68% }
  .side nav, .skip, summary::after { display: none }
  main, .side { padding-left: 0; padding-right: 0 }
  details::details-content { content-visibility: visible; display: block; height: auto }
  pre { white-space: pre-wrap; overflow-wrap: anywhere }
  h2, h3, h4, summary { break-after: avoid }
  .example, tr, .fields > li { break-inside: avoid }
}
`)

const STYLE = brandCss() + MARK_CSS + PAGE_CSS

interface Listed {
  readonly method: Method
  readonly path: string
  readonly operation: ApiOperation
  readonly atRoot: boolean
}

/** Renders the page from the document alone. Links are relative, so that it works under any sub-path. */
function renderPage(document: ApiDocument): string {
  const { info, tags } = document
  const lookup = createLookup(document)
  const prefix = document.servers[0]?.url.replace(/\/$/, '') ?? ''
  const chapters = [...guideChapters(prefix), errorChapter(lookup)]
  const operations = listOperations(document.paths)
  const sections = tags.map((tag) => ({
    ...tag,
    // The prefix avoids collisions with operations, whose anchors are their names.
    id: `tag-${slug(tag.name)}`,
    operations: operations.filter(({ operation }) => operation.tags.includes(tag.name)),
  }))
  const body = html`<a class="skip" href="#content">Skip to the content</a>
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
</main>`
  return htmlPage(`${info.title} API`, STYLE, body)
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

function ofPath(path: string, item: PathItem): Listed[] {
  return Object.keys(item).flatMap((key) => {
    const method = METHODS.find((candidate) => candidate === key)
    if (!method) return []
    const operation = item[method]
    return operation ? [{ method, path, operation, atRoot: item.servers !== undefined }] : []
  })
}

function slug(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}

/** The API description as plain HTML without scripts. `csp` allows only its own style. */
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

/** Removes only line breaks and indentation, so that the result remains readable. */
function minify(css: string): string {
  return css
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .trim()
}

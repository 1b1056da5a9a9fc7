import { escapeXml } from './xml-scan.ts'

/** Text that is already HTML; made only in this file. */
export interface Html {
  readonly html: string
}

type Part = string | number | Html | undefined | readonly Part[]

/** Makes HTML from a template: strings are escaped, `Html` is inserted unchanged, and lists are joined. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const text = strings.map((string, index) => (index === 0 ? string : render(parts[index - 1]) + string))
  return { html: text.join('') }
}

export function trusted(constant: string): Html {
  return { html: constant }
}

export function htmlPage(title: string, style: string, body: Html, head?: Html): string {
  return html`${trusted('<!doctype html>')}
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${head}<title>${title}</title>
${trusted(`<style>${style}</style>`)}
</head>
<body>
${body}
</body>
</html>
`.html
}

export function prose(text: string): Html {
  return {
    html: text
      .split('\n\n')
      .map((paragraph) => `<p>${inline(paragraph).html}</p>`)
      .join(''),
  }
}

export function inline(text: string): Html {
  return { html: escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>') }
}

function render(part: Part): string {
  if (part === undefined) return ''
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part))
  return isList(part) ? part.map(render).join('') : part.html
}

/** Keeps line ends, which need no escape in HTML, so that examples stay legible in the source. */
function escapeHtml(text: string): string {
  return text.split('\n').map(escapeXml).join('\n')
}

function isList(part: Html | readonly Part[]): part is readonly Part[] {
  return Array.isArray(part)
}

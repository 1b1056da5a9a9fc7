import { type Html, html, trusted } from '../../formats/html.ts'
import { sha256 } from '../../platform/crypto.ts'
import { brandCss, MARK_CSS, MARK_SVG } from '../brand.ts'

const PAGE_CSS = `*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;background:var(--ground);color:var(--ink);font:1rem/1.55 var(--font-text)}
main{width:100%;max-width:26rem;padding:2rem;background:var(--surface);border:1px solid var(--line);border-radius:14px}
.brand{display:flex;align-items:center;gap:.5rem;margin:0 0 1.5rem;font-weight:650;letter-spacing:-.01em}
.mark{width:1.75rem;height:1.75rem}
h1{margin:0 0 .75rem;font-size:1.5rem;line-height:1.25;letter-spacing:-.015em;text-wrap:balance}
p{margin:0 0 1rem;color:var(--muted)}
p:last-child{margin-bottom:0}
a{color:var(--accent)}
label{display:block;margin:0 0 .35rem;font-weight:550}
input{width:100%;margin:0 0 1rem;padding:.65rem .75rem;border:1px solid var(--muted);border-radius:8px;background:var(--ground);color:var(--ink);font:inherit}
form{margin:0 0 1rem}
button,.button{display:inline-block;padding:.65rem 1.1rem;border:0;border-radius:8px;background:var(--accent);color:var(--surface);font:inherit;font-weight:600;text-decoration:none;cursor:pointer}
button[disabled]{opacity:.6;cursor:default}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.error{color:var(--delete)}
[hidden]{display:none}`

const STYLE = brandCss() + MARK_CSS + PAGE_CSS

/** A page as it is sent. */
export interface Page {
  readonly html: string
  /** Lets through exactly the page's own style and script, and requests to this server. */
  readonly csp: string
  readonly referrerPolicy: string
}

interface PageOptions {
  /** A constant of ours; it runs when everything is there. */
  readonly script?: string
  /** Whether the page has a form that is sent without a script. */
  readonly hasForm?: boolean
}

/** A small page with one thing to say or do. */
export function page(title: string, body: Html, { script, hasForm = false }: PageOptions = {}): Page {
  const text = html`${trusted('<!doctype html>')}
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · podstep</title>
${trusted(`<style>${STYLE}</style>`)}
</head>
<body>
<main>
<p class="brand">${trusted(MARK_SVG)}<span>podstep</span></p>
<h1>${title}</h1>
${body}
</main>
${script === undefined ? undefined : trusted(`<script type="module">${script}</script>`)}
</body>
</html>
`.html
  const csp = [
    "default-src 'none'",
    `style-src '${digest(STYLE)}'`,
    ...(script === undefined ? [] : [`script-src '${digest(script)}'`, "connect-src 'self'"]),
    "base-uri 'none'",
    // Chrome holds the redirects that follow a form against this, too, and where the provider is nobody knows beforehand.
    ...(hasForm ? [] : ["form-action 'none'"]),
    "frame-ancestors 'none'",
  ]
  // A page that hands out no address, whatever it links to; but a form sent from one would seem to come from nowhere.
  return { html: text, csp: csp.join('; '), referrerPolicy: hasForm ? 'same-origin' : 'no-referrer' }
}

export function send({ html, csp, referrerPolicy }: Page): Response {
  return new Response(html, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': csp,
      'referrer-policy': referrerPolicy,
    },
  })
}

function digest(text: string): string {
  return `sha256-${Buffer.from(sha256(text)).toString('base64')}`
}

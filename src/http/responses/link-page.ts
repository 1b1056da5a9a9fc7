import { html, trusted } from '../../formats/html.ts'
import { sha256 } from '../../platform/crypto.ts'
import { brandCss, MARK_CSS, MARK_SVG } from './brand.ts'

const PAGE_CSS = `*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;background:var(--ground);color:var(--ink);font:1rem/1.55 var(--font-text)}
main{width:100%;max-width:26rem;padding:2rem;background:var(--surface);border:1px solid var(--line);border-radius:14px}
.brand{display:flex;align-items:center;gap:.5rem;margin:0 0 1.5rem;font-weight:650;letter-spacing:-.01em}
.mark{width:1.75rem;height:1.75rem}
h1{margin:0 0 .75rem;font-size:1.5rem;line-height:1.25;letter-spacing:-.015em;text-wrap:balance}
p{margin:0 0 1rem;color:var(--muted)}
p:last-child{margin-bottom:0}
a{color:var(--accent)}
form{margin:0 0 1rem}
button{min-height:2.75rem;padding:.65rem 1.1rem;border:0;border-radius:8px;background:var(--accent);color:var(--surface);font:inherit;font-weight:600;cursor:pointer}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}`

const STYLE = brandCss() + MARK_CSS + PAGE_CSS

/** Nothing but the page's own style. Chrome holds the redirects that follow a form against `form-action`, and where the provider is nobody knows beforehand. */
const CSP = [
  "default-src 'none'",
  `style-src 'sha256-${Buffer.from(sha256(STYLE)).toString('base64')}'`,
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Asks a signed-in user whether he wants to go on to the provider, where the browser does not tell whose page has sent him. The server's
 * own, and without a script: what it asks must not be answered by another page.
 */
export function linkPage(basePath: string, provider: string, returnTo: string): Response {
  const page = html`${trusted('<!doctype html>')}
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Link an identity · podstep</title>
${trusted(`<style>${STYLE}</style>`)}
</head>
<body>
<main>
<p class="brand">${trusted(MARK_SVG)}<span>podstep</span></p>
<h1>Link an identity</h1>
<p>You are about to add a sign-in with ${provider} to your account here. Whoever can sign in there can then sign in here, too.</p>
<form method="post" action="${basePath}/auth/sso/link?return_to=${encodeURIComponent(returnTo)}"><button type="submit">Go on to ${provider}</button></form>
<p><a href="${basePath}/account">Leave everything as it is</a></p>
</main>
</body>
</html>
`.html
  return new Response(page, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': CSP,
      // A form sent from a page that hides its address would seem to come from nowhere.
      'referrer-policy': 'same-origin',
    },
  })
}

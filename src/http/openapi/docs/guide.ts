import { listErrorCodes } from '../../../domain/shared/errors.ts'
import { type Html, html, inline } from '../../../formats/html.ts'
import { block, EXAMPLE_HOST } from './operation-view.ts'

export interface Chapter {
  readonly id: string
  readonly title: string
  readonly body: Html
}

/** Chapters that apply to all operations. `prefix` is the sub-path of the server, or ''. */
export function guideChapters(prefix: string): Chapter[] {
  const base = EXAMPLE_HOST + prefix
  return [
    { id: 'basics', title: 'Basics', body: basics(base) },
    { id: 'sign-in', title: 'Signing in', body: signIn(base) },
    { id: 'in-step', title: 'Staying in sync', body: inStep() },
  ]
}

function basics(base: string): Html {
  return html`<p>Paths on this page are relative to the address of the server: <code>/api/2/me</code> is
<code>${base}/api/2/me</code> if the server is <code>${base}</code>. Only the health checks stay at the root if the server
has a sub-path.</p>
<ul>
<li>Bodies are JSON in UTF-8 unless stated otherwise, regardless of their <code>Content-Type</code>. They may be
compressed: <code>Content-Encoding: gzip</code> or <code>deflate</code>. The limit after decompression is 10 MiB; 64 KiB for requests that
need no credentials.</li>
<li>Responses of more than a kilobyte are compressed according to <code>Accept-Encoding</code>: <code>zstd</code>, <code>br</code> or
<code>gzip</code>; streamed responses only with <code>gzip</code>. Errors, responses to uploads, and private responses
to requests with text in the query are not compressed.</li>
<li>Ignore unknown keys in responses; the server ignores unknown keys in requests.</li>
<li>Dates are <code>YYYY-MM-DDTHH:MM:SS</code> in UTC, without a zone. A <code>timestamp</code> next to a list is an integer.</li>
<li>The URL of its feed identifies a podcast, the URL of its media file an episode.</li>
<li>Success is always <code>200</code>.</li>
</ul>`
}

function signIn(base: string): Html {
  return html`<p>Protected operations accept three kinds of credentials:</p>
<dl>
<dt>HTTP Basic</dt>
<dd>User name and password with each request. The password is that of the account, or an app password that the user has created for
your app. The first success also sets the session cookie.</dd>
<dt>Bearer</dt>
<dd>An app password.</dd>
<dt>The session cookie</dt>
<dd><code>sessionid</code>, valid for 30 days by default, and extended by use. No other credentials are needed with it.</dd>
</dl>
${block(
  'Sign in once, then send the cookie',
  `curl -u ida -c cookies.txt -X POST ${base}/api/2/auth/ida/login.json\ncurl -b cookies.txt ${base}/api/2/devices/ida.json`,
)}
<p><code>{username}</code> in a path must be your own name; any other name is <code>403</code>, even if there is no
such user. Basic with a wrong password is <code>401</code>, even together with a valid cookie. An app password is <code>403</code> for
operations that it does not allow, such as changing the password and administration.</p>
<p>A <code>401</code> carries the Basic challenge. To avoid the browser’s password dialog, pages can send any
<code>X-Requested-With</code> header.</p>
<p>Pages of other origins may use Basic, but never the cookie. Their <code>POST</code> requests must have a
<code>Content-Type</code> that forms cannot have, such as <code>application/json</code>, even without a body: any other is
<code>403</code>, because browsers send it without a preflight request, with a remembered password. They do not get a cookie.</p>`
}

function inStep(): Html {
  return html`<p>Clients fetch subscription changes and episode actions since their last sync. Each response has a
<code>timestamp</code>: keep it, treat it as opaque, and send it as <code>since</code> with the next fetch. The response to an upload
has one as well, which replaces the previous one. Changes by other clients in between are never skipped. Your own upload does not come back,
unless that is necessary to skip nothing.</p>
<p>The server normalizes feed URLs: it lower-cases the host, removes <code>feed:</code> and credentials, and encodes special
characters. <code>update_urls</code> lists each changed URL as <code>[sent, stored]</code>; update yours. A pair with an empty second text
means that the URL was rejected and ignored.</p>`
}

const PHRASES: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  413: 'Content too large',
  415: 'Unsupported media type',
  422: 'Unprocessable content',
  429: 'Too many requests',
  500: 'Internal server error',
  502: 'Bad gateway',
  503: 'Service unavailable',
}

export function errorTable(): Html {
  const groups = [...Map.groupBy(listErrorCodes(), ({ status }) => status)].map(
    ([status, codes]) => html`<tbody><tr><th scope="rowgroup" colspan="2"><strong class="status">${status}</strong> ${
      PHRASES[status]
    }</th></tr>
${codes.map(({ code, meaning }) => html`<tr><th scope="row"><code>${code}</code></th><td>${inline(meaning)}</td></tr>`)}</tbody>
`,
  )
  return html`<table class="errors"><thead><tr><th scope="col"><code>error</code></th><th scope="col">Meaning</th></tr></thead>
${groups}</table>`
}

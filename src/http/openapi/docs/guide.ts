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
    { id: 'sign-in', title: 'How to sign in', body: signIn(base) },
    { id: 'in-step', title: 'How to stay in step', body: inStep() },
  ]
}

function basics(base: string): Html {
  return html`<p>All addresses on this page follow the address of the server: <code>/api/2/me</code> is
<code>${base}/api/2/me</code> if the server is <code>${base}</code>. Only the health checks stay at the root when the server
lives under a sub-path.</p>
<ul>
<li>Bodies are JSON in UTF-8 unless stated otherwise, and are read as such whatever their <code>Content-Type</code>. They may be
compressed: <code>Content-Encoding: gzip</code> or <code>deflate</code>. The limit is 10 MiB, decompressed; 64 KiB for requests that
need no credentials.</li>
<li>Responses of more than a kilobyte are compressed as <code>Accept-Encoding</code> asks: <code>zstd</code>, <code>br</code> or
<code>gzip</code>, for long ones that are sent as they are made <code>gzip</code> alone. Errors, responses to uploads, and private responses
to requests with a text in the query, are not.</li>
<li>Ignore keys that you do not know in a response; the server ignores those it does not know in a request.</li>
<li>Dates are <code>YYYY-MM-DDTHH:MM:SS</code> in UTC, without a zone. A <code>timestamp</code> beside a list is an integer.</li>
<li>A podcast is known by the URL of its feed, an episode by the URL of its media file.</li>
<li>Success is always <code>200</code>.</li>
</ul>`
}

function signIn(base: string): Html {
  return html`<p>Protected operations take one of three kinds of credentials:</p>
<dl>
<dt>HTTP Basic</dt>
<dd>User name and password with each request. The password is that of the account, or an app password that its user has made for
your app. The first success also sets the session cookie.</dd>
<dt>Bearer</dt>
<dd>An app password alone.</dd>
<dt>The session cookie</dt>
<dd><code>sessionid</code>, good for 30 days unless the server is set otherwise, and renewed by use. Enough by itself from then on.</dd>
</dl>
${block(
  'Sign in once, then send the cookie',
  `curl -u ida -c cookies.txt -X POST ${base}/api/2/auth/ida/login.json\ncurl -b cookies.txt ${base}/api/2/devices/ida.json`,
)}
<p>Where a path holds <code>{username}</code> it must be your own name; anything else is <code>403</code>, whether or not there is
such a user. Basic with a wrong password is <code>401</code>, even beside a good cookie. An app password is <code>403</code> where it
is not good for the operation: it changes no password and administers nothing.</p>
<p>A <code>401</code> carries the Basic challenge. Pages that want no password box from the browser send any
<code>X-Requested-With</code> header.</p>
<p>Pages of other origins may use Basic, never the cookie. What they change by <code>POST</code> must have a
<code>Content-Type</code> that no form has, such as <code>application/json</code>, also where there is no body: anything else is
<code>403</code>, because a browser sends it without asking first, with a password that it remembers. They are given no cookie.</p>`
}

function inStep(): Html {
  return html`<p>Changes of subscriptions and episode actions are fetched since the last time. Each response has a
<code>timestamp</code>: keep it, treat it as opaque, and send it as <code>since</code> with the next fetch. An upload answers
with one too, which replaces the one you had. What others did in between is never skipped, and your own upload does not come back,
unless that is the price of skipping nothing.</p>
<p>The server normalizes feed URLs: it lower-cases the host, cuts off <code>feed:</code> and credentials, encodes what needs
it. <code>update_urls</code> names each URL it changed as <code>[sent, kept]</code>; rename yours. A pair with an empty second text
was not accepted, and is otherwise ignored.</p>`
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

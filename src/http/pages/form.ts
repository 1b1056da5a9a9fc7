import { type Html, html } from '../../formats/html.ts'
import script from './form.client.js' with { type: 'text' }

/** What sends the form of a page. */
export { script as formScript }

export interface Form {
  /** Where it is sent, as JSON; `{username}` is the field of that name. */
  readonly post: string
  readonly fields: Html
  readonly button: string
  /** Where the browser goes when it worked; else `done` is shown. */
  readonly next?: string
  readonly done?: string
  /** The fields are a user name and a password to sign in with. */
  readonly isSignIn?: boolean
  /** Shown where the token of a mailed link is missing or no good; given, the token goes along. */
  readonly invalid?: string
}

/** A form, and what the script shows in its place. */
export function formPart({ post, fields, button, next, done, isSignIn, invalid }: Form): Html {
  const flags = html`${isSignIn ? html` data-basic` : undefined}${invalid === undefined ? undefined : html` data-token`}${
    next === undefined ? undefined : html` data-next="${next}"`
  }`
  return html`<noscript><p>This page needs JavaScript.</p></noscript>
<form id="ask" data-part data-post="${post}"${flags} hidden>${fields}<button type="submit">${button}</button></form>
<p id="problem" class="error" role="alert" hidden></p>
${done === undefined ? undefined : outcome('done', done)}${invalid === undefined ? undefined : outcome('void', invalid)}`
}

/** A password to choose, twice. */
export function newPasswordFields(): Html {
  return html`<label for="new">New password</label>
<input id="new" name="new_password" type="password" autocomplete="new-password" required minlength="4" maxlength="256">
<label for="again">The same again</label>
<input id="again" name="again" type="password" autocomplete="new-password" required minlength="4" maxlength="256">
`
}

function outcome(id: string, text: string): Html {
  return html`<div id="${id}" data-part role="status" hidden><p>${text}</p></div>`
}

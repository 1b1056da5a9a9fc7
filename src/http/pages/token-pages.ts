import { type Html, html } from '../../formats/html.ts'
import { type Page, page } from './page.ts'
import script from './token-page.client.js' with { type: 'text' }

/** Where the activation mail leads: protocol.md D71. */
export const activatePage = (basePath: string): Page =>
  page(
    'Activate your account',
    steps({
      post: `${basePath}/api/2/activate`,
      ask: html`<p>One step is left before you can sign in.</p><button type="submit">Activate</button>`,
      done: 'Your account is active. Sign in with your user name and password in your podcast app.',
      invalid:
        'This link does not work: it was used before, is older than 48 hours, or is incomplete. If you cannot sign in, ask your administrator to activate the account.',
    }),
    { script },
  )

/** Where the reset mail leads: protocol.md 18.3. */
export const resetPasswordPage = (basePath: string): Page =>
  page(
    'Choose a new password',
    steps({
      post: `${basePath}/api/2/password-reset/confirm`,
      ask: html`${passwordField('password', 'New password')}${passwordField('again', 'The same again')}
<button type="submit">Save</button>`,
      done: 'Your password is changed, and you are signed out everywhere. Enter the new one in your apps.',
      invalid:
        'This link does not work: it was used before, is older than 24 hours, or a newer mail has replaced it. Ask for a new one.',
    }),
    { script },
  )

interface Steps {
  readonly post: string
  readonly ask: Html
  readonly done: string
  readonly invalid: string
}

/** What the script shows one of: the question, its happy end, or that the link is no good. */
function steps({ post, ask, done, invalid }: Steps): Html {
  return html`<noscript><p>This page needs JavaScript.</p></noscript>
<form id="ask" data-part data-post="${post}" hidden>${ask}</form>
<p id="problem" class="error" role="alert" hidden></p>
<div id="done" data-part role="status" hidden><p>${done}</p></div>
<div id="void" data-part role="status" hidden><p>${invalid}</p></div>`
}

function passwordField(id: string, label: string): Html {
  return html`<label for="${id}">${label}</label>
<input id="${id}" type="password" autocomplete="new-password" required minlength="4" maxlength="256">`
}

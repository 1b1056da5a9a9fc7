import type { SignInWord } from '../../domain/identity-provider.ts'
import { type Html, html } from '../../formats/html.ts'
import { formPart, formScript, newPasswordFields } from './form.ts'
import { type Page, page } from './page.ts'

/** What each word of `/login?error=` means, and what to do about it. */
const EXPLANATIONS: Readonly<Record<SignInWord, string>> = {
  sso_state: 'The sign-in took too long, or was begun in another browser. Try again.',
  sso_denied: 'The provider says that you did not agree to sign in here. Try again if that was a mistake.',
  sso_failed:
    'The provider’s answer could not be used. Try again; if it goes on, the server’s log tells your administrator why.',
  sso_unavailable: 'The provider cannot be reached at the moment. If you have a password, it works as ever.',
  account_inactive: 'Your account here is deactivated. Ask your administrator.',
  account_pending: 'Your account here is not activated yet. Use the link you were mailed, or ask your administrator.',
  registration_closed: 'You have no account here, and this server makes none by itself. Ask your administrator.',
  email_taken:
    'There is an account with your email address already. Sign in to it with its password, and link the provider there.',
  identity_taken: 'This identity belongs to another account here, or yours is linked to another one. Unlink it first.',
}

/** `provider` is the button of the provider, if there is one; `error` what the query said. */
export function loginPage(basePath: string, provider: string | undefined, error: string | null): Page {
  const problem = error === null ? undefined : html`<p class="error" role="alert">${explain(error)}</p>`
  const button = provider && html`<p><a class="button" href="${basePath}/auth/sso/login">${provider}</a></p>`
  const form = formPart({
    post: `${basePath}/api/2/auth/{username}/login.json`,
    fields: html`<label for="username">User name</label>
<input id="username" name="username" autocomplete="username" autocapitalize="none" required>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
`,
    button: 'Sign in',
    next: `${basePath}/`,
    isSignIn: true,
  })
  const title = error === null ? 'Sign in' : 'Not signed in'
  return page(title, html`${problem}${button}${form}${hint(basePath)}`, { script: formScript })
}

/** Asks a signed-in user whether he wants to go on, where the browser does not tell whose page has sent him. */
export function linkPage(basePath: string, provider: string, returnTo: string): Page {
  const body = html`<p>You are about to add a sign-in with ${provider} to your account here. Whoever can sign in there can then sign in here, too.</p>
<form method="post" action="${basePath}/auth/sso/link?return_to=${encodeURIComponent(returnTo)}"><button type="submit">Go on to ${provider}</button></form>
<p><a href="${basePath}/">Leave everything as it is</a></p>`
  return page('Link an identity', body, { hasForm: true })
}

/** Where somebody who is signed in sets a password for the apps, or another one. */
export function passwordPage(basePath: string): Page {
  const form = formPart({
    post: `${basePath}/api/2/me/password`,
    fields: html`<label for="old">Password so far</label>
<input id="old" name="old_password" type="password" autocomplete="current-password" maxlength="256" aria-describedby="old-hint">
<p id="old-hint">Leave it empty if you have none yet.</p>
${newPasswordFields()}`,
    button: 'Save',
    done: 'The password is set. Enter it in your podcast apps.',
  })
  return page('Your password', html`${form}<p><a href="${basePath}/">Back</a></p>`, { script: formScript })
}

/** What the root of the server says to a browser: to somebody who is signed in what he can do here. */
export function homePage(basePath: string, user: string | undefined, provider: string | undefined): Page {
  if (user === undefined)
    return page(
      'The server is running',
      html`<p><a class="button" href="${basePath}/login">Sign in</a></p>${hint(basePath)}`,
    )
  const link = provider && html`<p><a href="${basePath}/auth/sso/login?link=1">Link a sign-in with ${provider}</a></p>`
  const signOut = formPart({
    post: `${basePath}/api/2/auth/${encodeURIComponent(user)}/logout.json`,
    fields: html``,
    button: 'Sign out',
    next: `${basePath}/login`,
  })
  return page(
    'The server is running',
    html`<p>You are signed in as <strong>${user}</strong>.</p>
<p><a href="${basePath}/password">Set or change your password</a></p>
${link}${signOut}${hint(basePath)}`,
    { script: formScript },
  )
}

function hint(basePath: string): Html {
  return html`<p>Podcast apps sign in by themselves: give them this server’s address, your user name and your password. Everything else is <a href="${basePath}/docs">described here</a>.</p>`
}

function explain(word: string): string {
  return isWord(word) ? EXPLANATIONS[word] : 'Signing in did not work. Try again.'
}

function isWord(word: string): word is SignInWord {
  return Object.hasOwn(EXPLANATIONS, word)
}

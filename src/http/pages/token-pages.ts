import { html } from '../../formats/html.ts'
import { formPart, formScript, newPasswordFields } from './form.ts'
import { type Page, page } from './page.ts'

/** Where the activation mail leads: protocol.md D71. */
export function activatePage(basePath: string): Page {
  const form = formPart({
    post: `${basePath}/api/2/activate`,
    fields: html`<p>One step is left before you can sign in.</p>`,
    button: 'Activate',
    done: 'Your account is active. Sign in with your user name and password in your podcast app.',
    invalid:
      'This link does not work: it was used before, is older than 48 hours, or is incomplete. If you cannot sign in, ask your administrator to activate the account.',
  })
  return page('Activate your account', form, { script: formScript })
}

/** Where the reset mail leads: protocol.md 18.3. */
export function resetPasswordPage(basePath: string): Page {
  const form = formPart({
    post: `${basePath}/api/2/password-reset/confirm`,
    fields: newPasswordFields(),
    button: 'Save',
    done: 'Your password is changed, and you are signed out everywhere. Enter the new one in your apps.',
    invalid:
      'This link does not work: it was used before, is older than 24 hours, or a newer mail has replaced it. Ask for a new one.',
  })
  return page('Choose a new password', form, { script: formScript })
}

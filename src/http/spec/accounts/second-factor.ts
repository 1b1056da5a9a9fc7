import { t } from 'elysia'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedObject, done, integer, objectSchema } from '../shared/models.ts'

const Code = t.String({
  maxLength: 100,
  description: 'Six digits of the authenticator app, or a recovery code; blanks and hyphens do not matter.',
})

const RECOVERY_EXAMPLE = ['GEZD-GNBV-GY3T-QOJQ', 'MFRG-GZDF-MZTW-Q2LK']

const RecoveryCodes = describedObject('The new recovery codes. They are not told again.', {
  recovery_codes: t.Array(t.String(), { description: 'Ten, each good for one sign-in without the authenticator app.' }),
})

const confirmation = objectSchema({
  password: t.String({ description: 'The password of the account.' }),
  code: Code,
})

const CONFIRMATION_EXAMPLE = { password: 'seaglass', code: '287082' }

const wrongConfirmation = errorResponse(
  'wrong_code',
  'Password or code is wrong, the credentials are not a session that was begun in a browser, or a page of another site made the request.',
  'the code is wrong, too old or already used',
  'code',
)

const noFactor = errorResponse(
  'no_second_factor',
  'The account has no second factor, or no password.',
  'this account has no second factor',
)

export const getSecondFactor = endpoint('Accounts', 'getSecondFactor', 'Get whether there is a second factor', {
  response: describedObject('The second factor of the account.', {
    enabled: t.Boolean({ description: 'Whether signing in with the password needs a code as well.' }),
    since: t.String({ description: 'UTC; empty without.' }),
    recovery_codes: integer({ description: 'How many have not been used.' }),
  }),
  example: { enabled: true, since: '2025-03-02T10:00:00', recovery_codes: 9 },
})

export const beginSecondFactor = endpoint('Accounts', 'beginSecondFactor', 'Begin to set up a second factor', {
  description:
    'Makes a secret for an authenticator app (RFC 6238: SHA-1, six digits, 30 seconds). Nothing changes before the first code, for which there are ten minutes. Only in a session that was begun in a browser.',
  body: objectSchema({ password: t.String({ description: 'The password of the account.' }) }),
  bodyExample: { password: 'seaglass' },
  response: describedObject('What the authenticator app has to know.', {
    secret: t.String({ description: 'In base32, to be typed.' }),
    uri: t.String({ description: 'The same as an address, for a QR code.' }),
  }),
  example: {
    secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    uri: 'otpauth://totp/podstep%20pods.example:ida?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=podstep%20pods.example',
  },
  errors: [
    errorResponse(
      'wrong_password',
      'The password is wrong, the credentials are not a session that was begun in a browser, or a page of another site made the request.',
      'password is wrong',
      'password',
    ),
    errorResponse(
      'second_factor_exists',
      'The account has a second factor already, or no password.',
      'this account has a second factor already: turn it off first',
    ),
  ],
})

export const enableSecondFactor = endpoint('Accounts', 'enableSecondFactor', 'Turn the second factor on', {
  description:
    'From now on the password of the account starts sessions only together with a code, and every other request refuses it: apps need app passwords. Ends all sessions but the one that makes the request; app passwords stay.',
  body: objectSchema({ code: Code }),
  bodyExample: { code: '287082' },
  response: RecoveryCodes,
  example: { recovery_codes: RECOVERY_EXAMPLE },
  errors: [
    wrongConfirmation,
    errorResponse(
      'second_factor_setup',
      'No set-up has begun in this session within the last ten minutes, or the account has a second factor by now.',
      'the set-up has expired: begin again',
    ),
  ],
})

export const renewRecoveryCodes = endpoint('Accounts', 'renewRecoveryCodes', 'Get new recovery codes', {
  description: 'The earlier ones become invalid.',
  body: confirmation,
  bodyExample: CONFIRMATION_EXAMPLE,
  response: RecoveryCodes,
  example: { recovery_codes: RECOVERY_EXAMPLE },
  errors: [wrongConfirmation, noFactor],
})

export const disableSecondFactor = endpoint('Accounts', 'disableSecondFactor', 'Turn the second factor off', {
  description: 'The password alone is enough again, for apps, too.',
  body: confirmation,
  bodyExample: CONFIRMATION_EXAMPLE,
  ...done,
  errors: [wrongConfirmation, noFactor],
})

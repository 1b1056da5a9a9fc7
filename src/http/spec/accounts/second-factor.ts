import { t } from 'elysia'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedObject, done, integer, objectSchema } from '../shared/models.ts'

const Code = t.String({
  maxLength: 100,
  description: 'Six digits from the authenticator app, or a recovery code. Spaces and hyphens are ignored.',
})

const RECOVERY_EXAMPLE = ['GEZD-GNBV-GY3T-QOJQ', 'MFRG-GZDF-MZTW-Q2LK']

const RecoveryCodes = describedObject('The new recovery codes, which are shown only once.', {
  recovery_codes: t.Array(t.String(), {
    description: 'Ten codes, each valid for one sign-in without the authenticator app.',
  }),
})

const confirmation = objectSchema({
  password: t.String({ description: 'The password of the account.' }),
  code: Code,
})

const CONFIRMATION_EXAMPLE = { password: 'seaglass', code: '287082' }

const wrongConfirmation = errorResponse(
  'wrong_code',
  'The password or code is wrong, the credentials are not a session started in a browser, or the request comes from a page of another site.',
  'the code is wrong, too old or already used',
  'code',
)

const noFactor = errorResponse(
  'no_second_factor',
  'The account has no second factor, or no password.',
  'this account has no second factor',
)

export const getSecondFactor = endpoint('Accounts', 'getSecondFactor', 'Get the state of the second factor', {
  response: describedObject('The second factor of the account.', {
    enabled: t.Boolean({ description: 'Whether signing in with the password also needs a code.' }),
    since: t.String({ description: 'Time when it was turned on, UTC; empty if it is off.' }),
    recovery_codes: integer({ description: 'Number of unused recovery codes.' }),
  }),
  example: { enabled: true, since: '2025-03-02T10:00:00', recovery_codes: 9 },
})

export const beginSecondFactor = endpoint('Accounts', 'beginSecondFactor', 'Start setting up a second factor', {
  description:
    'Creates a secret for an authenticator app (RFC 6238: SHA-1, six digits, 30 seconds). Nothing changes until the first code is sent, within ten minutes. Needs a session started in a browser.',
  body: objectSchema({ password: t.String({ description: 'The password of the account.' }) }),
  bodyExample: { password: 'seaglass' },
  response: describedObject('The secret for the authenticator app.', {
    secret: t.String({ description: 'In Base32, for typing.' }),
    uri: t.String({ description: 'The secret as a URI, for a QR code.' }),
  }),
  example: {
    secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    uri: 'otpauth://totp/podstep%20pods.example:ida?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=podstep%20pods.example',
  },
  errors: [
    errorResponse(
      'wrong_password',
      'The password is wrong, the credentials are not a session started in a browser, or the request comes from a page of another site.',
      'password is wrong',
      'password',
    ),
    errorResponse(
      'second_factor_exists',
      'The account already has a second factor, or has no password.',
      'this account already has a second factor: turn it off first',
    ),
  ],
})

export const enableSecondFactor = endpoint('Accounts', 'enableSecondFactor', 'Turn the second factor on', {
  description:
    'From now on, the account password starts a session only together with a code, and is refused in all other requests: apps need app passwords. Ends all sessions except the one that makes the request; app passwords stay valid.',
  body: objectSchema({ code: Code }),
  bodyExample: { code: '287082' },
  response: RecoveryCodes,
  example: { recovery_codes: RECOVERY_EXAMPLE },
  errors: [
    wrongConfirmation,
    errorResponse(
      'second_factor_setup',
      'No setup was started in this session within the last ten minutes, or the account already has a second factor.',
      'the setup has expired; start again',
    ),
  ],
})

export const renewRecoveryCodes = endpoint('Accounts', 'renewRecoveryCodes', 'Get new recovery codes', {
  description: 'The previous codes become invalid.',
  body: confirmation,
  bodyExample: CONFIRMATION_EXAMPLE,
  response: RecoveryCodes,
  example: { recovery_codes: RECOVERY_EXAMPLE },
  errors: [wrongConfirmation, noFactor],
})

export const disableSecondFactor = endpoint('Accounts', 'disableSecondFactor', 'Turn the second factor off', {
  description: 'The password alone is enough again, also for apps.',
  body: confirmation,
  bodyExample: CONFIRMATION_EXAMPLE,
  ...done,
  errors: [wrongConfirmation, noFactor],
})

// Request shapes of a person's name, e-mail address and new password.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import { mailedNameUpTo } from '../../platform/names.schema.ts'
import { PASSWORD_CHARACTERS } from '../sign-in/password-rules.policy.ts'

/** No mail server accepts a longer part before the @. @see https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1.1 */
const MOST_BEFORE_AT = 64

export const EmailSchema = once(() =>
  z
    .email()
    .max(254)
    .refine((text) => text.indexOf('@') <= MOST_BEFORE_AT, {
      message: `at most ${MOST_BEFORE_AT} characters before the @`,
    }),
)

export const PersonNameSchema = once(() => mailedNameUpTo(200).meta({ example: 'Aoife Example' }))

const { least, most } = PASSWORD_CHARACTERS

/** The form of a new password. Its rules need the person's name and address: password-rules.policy.ts. */
export const NewPasswordSchema = once(() =>
  z
    .string()
    // Decomposed, the same text can have more code points.
    .max(1024, { message: `at most ${most} characters` })
    .meta({
      format: 'password',
      example: 'four words for an example',
      minLength: least,
      maxLength: most,
      description: `${least} to ${most} characters of any kind (code points, in Unicode NFC), without your e-mail address, what stands before its @, your name, or the name of the service. Fewer than five different characters, common passwords and several of them joined are refused. It is not looked up among leaked passwords.`,
    }),
)

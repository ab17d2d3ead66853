// What a person is called, reached at and signs in with, as it is sent by whoever gets an account.
import { z } from '@hono/zod-openapi'
import { PASSWORD_CHARACTERS } from '../sign-in/password-rules.policy.ts'

export const EmailSchema = z.email().max(254)

// No characters that are not seen or turn a line around: names are read by others.
export const PersonNameSchema = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((text) => !/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u.test(text) && text.isWellFormed(), {
    message: 'without control characters',
  })

const { least, most } = PASSWORD_CHARACTERS

/** Its rules need to know whose it is: password-rules.policy.ts. */
export const NewPasswordSchema = z
  .string()
  .max(1024)
  .openapi({
    format: 'password',
    minLength: least,
    maxLength: most,
    description: `${least} to ${most} characters of any kind (code points, in Unicode NFC), without your e-mail address, what stands before its @, your name, or the name of the service.`,
  })

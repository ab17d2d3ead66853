// Names that are given to what others read: people, organisations and keys.
import { z } from '@hono/zod-openapi'

/** They do something in a terminal, break a line or turn it around. */
const DOING = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u
/** Some letters, the Hangul fillers and the empty pattern of Braille, show nothing. */
const SEEN = /[^\s\p{Default_Ignorable_Code_Point}\u2800]/u

/** Without the blanks around it. Half a character cannot be stored. */
export const nameUpTo = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .refine((text) => text.isWellFormed() && !DOING.test(text), 'without control characters')
    .refine((text) => SEEN.test(text), 'with a character that is seen')

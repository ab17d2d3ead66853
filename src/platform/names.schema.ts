// Schemas that many features share: names of people and organisations, nullable members, and the mark of invented data.
import * as z from 'zod'
import { once } from './once.ts'
import { isDemoOrganisation, type OrganisationId } from './ids.ts'

export const orNull = <T extends z.ZodType>(schema: T) => z.union([schema, z.null()])

export const demoMember = once(() => ({
  demo: z.literal(true).optional().meta({
    description: 'Where all of the organisation’s data is invented, and in no other answer.',
  }),
}))

export const demoMark = (id: OrganisationId): { demo?: true } => (isDemoOrganisation(id) ? { demo: true } : {})

/** Returns the name of a downloaded file, with the mark of invented data. A CSV has no other place for the mark. */
export const demoFileName = (id: OrganisationId, name: string): string =>
  isDemoOrganisation(id) ? `invented-data-${name}` : name

/** Characters that control a terminal, break a line or change its direction. */
const CONTROL = /[\p{Cc}\u2028\u2029\uFFF9-\uFFFB]/u
/** Zero-width and direction marks. Two names that read the same must be the same. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu
/** Arabic letters that join the next one. A zero-width non-joiner changes what is seen only after one of these. */
const JOINED = String.raw`[[\u0620-\u064A\u066E-\u06D3\u06FA-\u06FF\u0750-\u077F]--[\u0621-\u0625\u0627\u0629\u062F-\u0632\u0648\u0671-\u0677\u0688-\u0699\u06C0\u06C3-\u06CB\u06CD\u06CF\u06D2\u06D3]]`
/** Joiners and variants that scripts and emoji are written with, if they change what is seen. */
const JOINING = new RegExp(
  [
    String.raw`(?<=[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA])[\u200C\u200D](?=\p{L})`,
    String.raw`(?<=${JOINED}[\u064B-\u0655]*)\u200C(?=\p{Script=Arabic})`,
    String.raw`(?<=\p{Extended_Pictographic}[\u{1F3FB}-\u{1F3FF}]?\uFE0F?)\u200D(?=\p{Extended_Pictographic})`,
    String.raw`(?<=\p{Extended_Pictographic})\uFE0F`,
    String.raw`(?<=\p{Script=Han})[\uFE00-\uFE02\u{E0100}-\u{E01EF}]`,
  ].join('|'),
  'gv',
)
/** A visible character. The empty Braille pattern is invisible. */
const VISIBLE = /[^\s\u2800]/u
/** Perhaps a telephone number, which in a mail of this service would look like its own. */
const LONG_NUMBER = /\p{Nd}{6}/u

const hasInvisible = (text: string): boolean => text.replaceAll(JOINING, '').search(INVISIBLE) !== -1

export function removeInvisible(text: string): string {
  const kept = new Set(Array.from(text.matchAll(JOINING), ({ index }) => index))
  return text.replaceAll(INVISIBLE, (mark, at: number) => (kept.has(at) ? mark : ''))
}

/** The rules of a name, as the OpenAPI document and errors say them. */
const NAME_RULES = {
  control: 'without control characters',
  invisible: 'without zero-width characters and direction marks',
  visible: 'with a character that is seen',
  number: 'without six or more digits in a row',
} as const

const describeName = (most: number, rules: readonly string[]): { description: string } => ({
  description: `1 to ${most} characters, ${rules.join(', ')}. Blanks around it are removed.`,
})

/** Returns the schema of a trimmed name of at most `most` characters. Half a surrogate pair is refused: it cannot be stored. */
export const nameUpTo = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .refine((text) => text.isWellFormed() && !CONTROL.test(text), NAME_RULES.control)
    .refine((text) => !hasInvisible(text), NAME_RULES.invisible)
    .refine((text) => VISIBLE.test(text), NAME_RULES.visible)
    .meta(describeName(most, [NAME_RULES.control, NAME_RULES.invisible, NAME_RULES.visible]))

/** The name of a person or an organisation. It may be in a mail to somebody who does not know them. */
export const mailedNameUpTo = (most: number) =>
  nameUpTo(most)
    .refine((text) => !LONG_NUMBER.test(text.normalize('NFKC')), NAME_RULES.number)
    .meta(describeName(most, Object.values(NAME_RULES)))

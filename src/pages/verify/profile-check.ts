// Checks a document of a profile that the visitor chose: its options, its facts, and what no such document proves. Most visits
// need none of this, so the page loads it later.
import { ACCEPT_PROFILE } from '../../evidence/records/accept-record.ts'
import { readJsonObject } from '../../evidence/records/read-json-object.ts'
import { READING_PROFILE } from '../../evidence/records/reading-words.ts'
import type { CheckOptions, ReadingEvidence } from '../../evidence/verify/check-options.ts'
import { PROFILE_CHECKS, readEntryBytes } from '../../evidence/verify/check-reading.ts'
import { profileOf, readingIn, type Profile } from '../../evidence/verify/document-kind.ts'
import { formatMoment } from '../text/format.ts'

type ProfileOptions = Pick<CheckOptions, 'profile' | 'reading'>

/** @param entry the bytes of a log entry, or their base64url text */
export const profileOptions = (profile: Profile, { entry, ...reading }: ReadingEvidence): ProfileOptions => ({
  profile: PROFILE_CHECKS[profile],
  reading: { ...reading, entry: entry && readEntryBytes(entry) },
})

/** Sentences about what no document of the profile proves. */
export const GAPS: Readonly<Record<Profile, readonly string[]>> = {
  'accept-1': [],
  'reading-1': [
    'Whether the reading was right.',
    'Whether the providers ran these models: it has what they said.',
    'Who sent the letter.',
  ],
  'outcome-1': ['Whether the choice was right.', 'Who chose: it names a role, and no person.'],
}

/** The names and values are those of `Facts`; null for none. */
export type SignedFacts = { organisation: string; list: readonly [string, string | null][] }

/** Returns the facts of a reading, or of what was chosen after it; null for any other document. */
export function signedFactsOf(document: Uint8Array): SignedFacts | null {
  const read = readJsonObject(document)
  if (!read.readable) return null
  const signed = readingIn(read.object)?.signed ?? read.object
  const text = (name: string, reader?: number): string | null => {
    const member = signed[name]
    const value: unknown = reader !== undefined && Array.isArray(member) ? member[reader] : member
    return typeof value === 'string' && value !== '' ? value : null
  }
  const [profile, time] = [profileOf(signed), text('timestamp') ?? '']
  if (profile === null || profile === ACCEPT_PROFILE || Number.isNaN(Date.parse(time))) return null
  const moment = formatMoment(new Date(time), false)
  const organisation = text('org_id') ?? ''
  const readers = [0, 1].map((reader): [string, string] => {
    const [provider, model, served] = ['providers', 'models', 'served_models'].map((of) => text(`reader_${of}`, reader))
    const named = text('reader_specialties', reader) ?? text('reader_states', reader)?.replaceAll('_', ' ')
    return [
      `Reader ${'AB'[reader]}`,
      `${named}. Asked: ${model} of ${provider}. Named by the provider: ${served ?? 'none'}`,
    ]
  })
  const list: [string, string | null][] =
    profile === READING_PROFILE
      ? [
          ['Specialty', text('specialty')],
          ['Age group', text('age_group')],
          ...readers,
          ['Read', moment],
          ['Figures of', text('dataset_archive_date')],
          ['Reading', text('reading_id')],
        ]
      : [
          ['Chosen', text('chosen')],
          ['Chosen by', text('chosen_by_role')],
          ['Reason', text('reason_code')],
          ['Chosen at', moment],
          ['Reading', text('subject_id')],
        ]
  return { organisation, list: [['Decision', text('decision')], ...list, ['Organisation', organisation]] }
}

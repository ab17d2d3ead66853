// OpenAPI schemas of attestations, acceptances, issued documents, signing keys and key histories.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { RECORD_OUTCOMES } from './call-endings.ts'
import { CHOICE_REASONS, CHOOSER_ROLES, OUTCOME_DECISIONS, READER_STATES, READING_ACTIONS } from './reading-words.ts'

const publicKey = once(() => z.string().regex(/^[A-Za-z0-9_-]{43}$/))
const signature = once(() => z.string().regex(/^[A-Za-z0-9_-]{86}$/))
const hash = once(() => z.string().regex(/^[0-9a-f]{64}$/))

/** The record from `describeDecision` and `signRecord`. */
export const AttestationSchema = once(() =>
  z
    .strictObject({
      v: z.literal(1),
      attestation_id: z.uuid({ version: 'v4' }),
      trace_id: z.string(),
      org_id: z.string(),
      request_hash: hash().meta({ description: 'SHA-256 of the canonical JSON of the request’s body.' }),
      model: z.string(),
      outcome: z.enum(RECORD_OUTCOMES),
      policy_applied: z.array(z.string()).readonly().meta({
        description:
          'ALLOWED: the rules that were applied and passed; human_approval where people had approved the call. Otherwise the rule that decided.',
      }),
      cost_prevented_eur: z.number().nonnegative().meta({ description: 'An estimate; 0 for ALLOWED.' }),
      timestamp: z.iso.datetime(),
      public_key: publicKey(),
      signature: signature(),
    })
    .meta({ id: 'Attestation', description: 'A signed record of the decision (ATTESTATION-v1).' }),
)

/** The record from `describeAcceptance` and `signAcceptance`. */
export const AcceptRecordSchema = once(() =>
  z
    .strictObject({
      v: z.literal('accept-1'),
      acceptance_id: z.uuid({ version: 'v4' }),
      org_id: z.string(),
      subject_v: z.enum(['1', 'action-1']),
      subject_id: z.string().meta({ description: 'The attestation_id of the record that it is about.' }),
      subject_hash: hash().meta({ description: 'SHA-256 of what is signed of that record.' }),
      decision: z.enum(['ACCEPTED', 'OVERRIDDEN', 'ESCALATED']).meta({
        description: 'What was decided about the refusal: it stands, it is set aside, or it is passed on.',
      }),
      reason_hash: z.union([hash(), z.literal('')]).meta({ description: 'SHA-256 of salt and reason.' }),
      reviewer_ref: z.string(),
      reviewer_authority: z.string().meta({ example: 'role:admin' }),
      policy_applied: z.array(z.string()).readonly(),
      timestamp: z.iso.datetime(),
      public_key: publicKey(),
      signature: signature(),
    })
    .meta({
      id: 'Acceptance',
      description:
        'A signed record of a person’s decision (ACCEPT-v1). It shows that the service recorded it, not who the person is.',
    }),
)

const texts = once(() => z.tuple([z.string(), z.string()]).readonly())

/** The record from `signReading`. */
export const ReadingSignedSchema = once(() =>
  z
    .strictObject({
      action: z.enum(READING_ACTIONS),
      age_group: z.enum(['', 'Adult', 'Child']),
      dataset_archive_date: z.iso.date(),
      dataset_hash: hash().meta({ description: 'Of the published file.' }),
      decision: z.enum(['yes', 'ask']),
      letter_commitment: hash().meta({ description: 'The record’s `textHmac`.' }),
      org_id: z.string(),
      prompt_hash: hash().meta({ description: 'SHA-256 of the readers’ rules, list and answer schema.' }),
      public_key: publicKey(),
      reader_age_groups: texts(),
      reader_models: texts(),
      reader_providers: texts(),
      reader_regions: texts().meta({
        description: 'The countries that each was routed to; any if the provider does not say.',
      }),
      reader_samples: texts().meta({ description: 'AGREEING/VALID/ASKED.' }),
      reader_served_models: texts().meta({ description: 'As the providers answered; empty if not.' }),
      reader_specialties: texts(),
      reader_states: z.tuple([z.enum(READER_STATES), z.enum(READER_STATES)]).readonly(),
      reading_id: z.string(),
      service_version: z.string(),
      specialty: z.string().meta({ description: 'Empty for none.' }),
      timestamp: z.iso.datetime(),
      v: z.literal('reading-1'),
      signature: signature(),
    })
    .meta({
      id: 'SignedReading',
      description:
        'The signed reading (reading-1); lists are Reader A’s, then Reader B’s. It shows what the readers named, not that they were right. Absent if the service has no key to sign with.',
    }),
)

/** The record from `signOutcome`. */
export const OutcomeRecordSchema = once(() =>
  z
    .strictObject({
      v: z.literal('outcome-1'),
      outcome_id: z.string().meta({ description: 'Follows from the reading’s id.' }),
      org_id: z.string(),
      subject_v: z.literal('reading-1'),
      subject_id: z.string().meta({ description: 'The reading_id.' }),
      subject_hash: hash().meta({ description: 'SHA-256 of what is signed of the reading.' }),
      decision: z.enum(OUTCOME_DECISIONS).meta({ description: 'CHOSEN after ask, where nothing was proposed.' }),
      chosen: z.string().meta({ description: 'The specialty; empty for none.' }),
      chosen_by_role: z.enum(CHOOSER_ROLES),
      reason_code: z.enum(CHOICE_REASONS),
      timestamp: z.iso.datetime(),
      public_key: publicKey(),
      signature: signature(),
    })
    .meta({ id: 'Outcome', description: 'A signed record of what a clinician chose (outcome-1). It names no person.' }),
)

/** The members that `signIssuedDocument` adds to a document. */
export const issuedMembers = once(() => ({
  issued_at: z.iso.datetime(),
  public_key: publicKey().meta({ description: 'The key that signed the document as a whole.' }),
  signature: signature().meta({ description: 'Over the canonical JSON of all other members.' }),
}))

const keyMembers = once(() => ({
  public_key: publicKey().meta({ description: 'The 32 bytes of an Ed25519 key, in base64url.' }),
  key_id: z.string().regex(/^aqta-att-[0-9a-f]{16}$/),
  algorithm: z.literal('Ed25519'),
  format: z.literal('base64url-raw'),
}))

/** Present if the key is derived from one machine's own secret. */
const note = once(() => z.string().optional().meta({ description: 'There where nobody should trust the key.' }))

export const SigningKeySchema = once(() =>
  z
    .strictObject({
      ...keyMembers(),
      spec: z.url().meta({ description: 'The format of the records.' }),
      keys: z.string().meta({ description: 'Where the history of keys is.' }),
      note: note(),
    })
    .meta({ id: 'SigningKey' }),
)

export const historicKeys = once(() =>
  z.array(
    z.strictObject({
      ...keyMembers(),
      status: z.enum(['active', 'retired', 'revoked']),
      valid_from: z.iso.datetime(),
      valid_until: z.iso.datetime().nullable(),
      revoked_at: z.iso
        .datetime()
        .optional()
        .meta({ description: 'When its revocation was stated. On revoked keys alone.' }),
      suspected_since: z.iso
        .datetime()
        .optional()
        .meta({ description: 'From when on somebody else may have had it. On revoked keys alone.' }),
    }),
  ),
)

export const KeyHistorySchema = once(() =>
  z
    .strictObject({ keys: historicKeys(), note: note() })
    .meta({ id: 'KeyHistory', description: 'Every key that ever signed, newest first.' }),
)

export type PublishedKeyHistory = Infer<typeof KeyHistorySchema>

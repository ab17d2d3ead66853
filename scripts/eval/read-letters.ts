// Sends labelled letters to the live route, a few at a time, and waits when the service asks for it. Also finds the labels that no
// reading can have.
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'
import { ReadResponseSchema } from '../../src/referral/read.schema.ts'
import type { LabelledLetter } from './labelled-files.ts'
import type { EvaluatedReading, UnreadLetter } from './readings-report.ts'

export type LetterOutcome = { kind: 'read'; evaluated: EvaluatedReading } | ({ kind: 'unread' } & UnreadLetter)

export type Service = { baseUrl: string; key: string }

const AT_ONCE = 4
const MAX_WAITS = 3

const ErrorSchema = z.object({ error: z.object({ code: z.string() }) })

/** Returns one outcome for each letter, in the letters' order. A failed letter does not affect the others. */
export async function readLetters(service: Service, letters: readonly LabelledLetter[]): Promise<LetterOutcome[]> {
  const outcomes = new Map<LabelledLetter, LetterOutcome>()
  const waiting = letters.values()
  async function readUntilDone(): Promise<void> {
    for (const letter of waiting) outcomes.set(letter, await readOne(service, letter))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, readUntilDone))
  return letters.flatMap((letter) => outcomes.get(letter) ?? [])
}

const SpecialtiesSchema = z.object({ specialties: z.array(z.object({ name: z.string() })) })

/** Returns the labels that the deployment's figures do not contain, which no reading can have. Throws if the key is refused. */
export async function unpublishedLabels(
  { baseUrl, key }: Service,
  letters: readonly LabelledLetter[],
): Promise<string[]> {
  const response = await fetch(`${baseUrl}/v1/specialties`, { headers: { authorization: `Bearer ${key}` } })
  if (!response.ok)
    throw new Error(`GET ${baseUrl}/v1/specialties answered ${response.status}. Check the address and the key.`)
  const { specialties } = SpecialtiesSchema.parse(await response.json())
  const published = new Set<string | null>([null, ...specialties.map(({ name }) => name)])
  const labels = new Set(letters.map(({ specialty }) => specialty))
  return [...labels].flatMap((label) => (label === null || published.has(label) ? [] : [label]))
}

async function readOne({ baseUrl, key }: Service, { text, ...letter }: LabelledLetter): Promise<LetterOutcome> {
  const unread = (why: string): LetterOutcome => ({ kind: 'unread', id: letter.id, why })
  for (let waits = 0; ; waits++) {
    const response = await fetch(`${baseUrl}/v1/referral/read`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    }).catch(() => null)
    if (response === null) return unread('no answer')
    const { status, headers } = response
    const body: unknown = await response.json().catch(() => null)
    const answer = ReadResponseSchema().safeParse(body).data
    if (status === 200 && answer !== undefined) return { kind: 'read', evaluated: { letter, answer } }
    const seconds = Number(headers.get('retry-after'))
    if (status !== 429 || waits === MAX_WAITS || seconds > 60) {
      return unread(`${status} ${ErrorSchema.safeParse(body).data?.error.code ?? '(not as this service answers)'}`)
    }
    await pause(seconds * 1000)
  }
}

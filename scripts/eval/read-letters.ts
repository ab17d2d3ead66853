// Sends labelled letters through the live route, a few at a time, and waits where the service says to.
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { ReadResponseSchema } from '../../src/referral/read.schema.ts'
import type { LabelledLetter } from './labelled-letters.ts'
import type { Evaluated } from './measures.ts'

export type Refused = { id: string; status: number; code: string }

export type Outcome = { kind: 'read'; evaluated: Evaluated } | ({ kind: 'refused' } & Refused)

export type Service = { baseUrl: string; key: string }

const AT_ONCE = 4
const MOST_WAITS = 3

const ErrorSchema = z.object({ error: z.object({ code: z.string() }) })

/** One outcome for each letter, in the order of the letters. Throws where the service does not answer at all. */
export async function readLetters(service: Service, letters: readonly LabelledLetter[]): Promise<Outcome[]> {
  const outcomes = new Map<LabelledLetter, Outcome>()
  const waiting = letters.values()
  async function readUntilDone(): Promise<void> {
    for (const letter of waiting) outcomes.set(letter, await readOne(service, letter))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, readUntilDone))
  return letters.flatMap((letter) => outcomes.get(letter) ?? [])
}

const SpecialtiesSchema = z.object({ specialties: z.array(z.object({ name: z.string() })) })

/** The labels that no reading there can have, because the file served does not publish them. */
export async function unpublishedLabels(
  { baseUrl, key }: Service,
  letters: readonly LabelledLetter[],
): Promise<string[]> {
  const response = await fetch(`${baseUrl}/v1/specialties`, { headers: { authorization: `Bearer ${key}` } })
  if (!response.ok) throw new Error(`GET ${baseUrl}/v1/specialties was answered ${response.status}. Is the key good?`)
  const { specialties } = SpecialtiesSchema.parse(await response.json())
  const published = new Set<string | null>([null, ...specialties.map(({ name }) => name)])
  const labels = new Set(letters.map(({ specialty }) => specialty))
  return [...labels].flatMap((label) => (label === null || published.has(label) ? [] : [label]))
}

async function readOne({ baseUrl, key }: Service, letter: LabelledLetter): Promise<Outcome> {
  for (let waits = 0; ; waits++) {
    const response = await fetch(`${baseUrl}/v1/referral/read`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text: letter.text }),
    })
    const body: unknown = await response.json()
    if (response.status === 200) {
      const { id, specialty, ageGroup } = letter
      return {
        kind: 'read',
        evaluated: { letter: { id, specialty, ageGroup }, answer: ReadResponseSchema.parse(body) },
      }
    }
    const seconds = Number(response.headers.get('retry-after'))
    if (response.status !== 429 || waits === MOST_WAITS || seconds > 60) {
      const code = ErrorSchema.safeParse(body).data?.error.code ?? 'unknown'
      return { kind: 'refused', id: letter.id, status: response.status, code }
    }
    await pause(seconds * 1000)
  }
}

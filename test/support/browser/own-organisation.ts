// An organisation of a test's own: what is changed in it no other test sees.
import { randomUUID } from 'node:crypto'
import { sessionOf } from './browser.ts'
import { ask, newPerson } from './people.ts'
import type { Person } from './service.ts'

export type OwnOrganisation = { owner: Person; id: string; name: string }

/** On the tier free, with OpenAI chosen, which the emulator stands in for. Its name has no six digits in a row, which are refused. */
export async function ownOrganisation(name = `A practice ${randomUUID().slice(4, 13)}`): Promise<OwnOrganisation> {
  const owner = await newPerson()
  const founded = await ask<{ id: string }>(
    'POST',
    '/api/organisations',
    { name, enabled_providers: ['openai'] },
    await sessionOf(owner),
  )
  return { owner, id: founded.id, name }
}

/** A key that calls models. */
export async function keyOf({ owner }: OwnOrganisation, name = 'A key'): Promise<string> {
  const { key } = await ask<{ key: string }>('POST', '/api/keys', { name }, await sessionOf(owner))
  return key
}

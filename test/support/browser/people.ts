// People of the service in a browser: somebody new, an organisation of their own, and what they are mailed.
import { randomBytes, randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { Role } from '../../../src/accounts/access/roles.policy.ts'
import { keepSession, origin, service, sessionOf } from './browser.ts'
import type { Person } from './service.ts'
import { fromSomewhere } from './visitor.ts'
import { until } from '../until.ts'

export const newEmail = (): string => `test-${randomBytes(6).toString('hex')}@practice.example`

const MailsSchema = z.object({ mails: z.array(z.object({ text: z.string(), links: z.array(z.string()) })) })

/** The newest link to this page that was mailed to the address, once it is there. */
export async function mailedLink(email: string, page: 'confirm' | 'reset' | 'invite' | 'app/account'): Promise<string> {
  const findLink = async () =>
    (await mailsTo(email)).flatMap(({ links }) => links).find((one) => one.includes(`/${page}#`)) ?? ''
  return until(`a link to /${page} is mailed to ${email}`, findLink, (link) => link !== '')
}

export async function mailsTo(email: string): Promise<z.infer<typeof MailsSchema>['mails']> {
  const response = await fetch(`${service.mailbox}/mails?to=${encodeURIComponent(email)}`)
  return MailsSchema.parse(await response.json()).mails
}

/** Sends a request as our own pages do, and returns the body. Throws if it is refused. */
export async function ask<T = unknown>(method: string, path: string, body?: object, session?: string): Promise<T> {
  const text = await (await send(method, path, body, session)).text()
  return (text === '' ? null : JSON.parse(text)) as T
}

async function send(method: string, path: string, body?: object, session?: string): Promise<Response> {
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: {
      ...fromSomewhere(),
      origin,
      'content-type': 'application/json',
      ...(session !== undefined && { cookie: `__Host-session=${session}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
  return response
}

/** Somebody who has signed up and is in no organisation. */
export async function newPerson(name = 'Somebody New'): Promise<Person> {
  const person = { email: newEmail(), password: randomBytes(18).toString('base64url') }
  await ask('POST', '/api/auth/signup', { ...person, name })
  const confirmation = { token: tokenIn(await mailedLink(person.email, 'confirm')) }
  keepSession(person, await send('POST', '/api/auth/verify-email', confirmation))
  return person
}

/** The mailed link of an invitation by this person, to the first of their organisations. */
export async function invited(by: Person, email: string, role: Role): Promise<string> {
  await ask('POST', '/api/members/invitations', { email, role }, await sessionOf(by))
  return mailedLink(email, 'invite')
}

/** Somebody new who has joined the first organisation of this person. */
export async function newMember(by: Person, role: Role, name = 'Somebody New'): Promise<Person> {
  const person = { email: newEmail(), password: randomBytes(18).toString('base64url') }
  const token = tokenIn(await invited(by, person.email, role))
  const acceptance = { token, name, password: person.password }
  keepSession(person, await send('POST', '/api/members/invitations/accept', acceptance))
  return person
}

const tokenIn = (link: string): string => link.split('#')[1] ?? ''

/** An organisation of a test's own: no other test sees what is changed in it. */
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

/** An organisation of a test's own that the operator has put on a tier. */
export async function ownOrganisationOn(tier: string): Promise<OwnOrganisation> {
  const organisation = await ownOrganisation()
  const response = await fetch(`${origin}/api/operator/organisations/${organisation.id}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${service.operatorToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ tier }),
  })
  if (!response.ok) throw new Error(`The operator was answered ${response.status}: ${await response.text()}`)
  return organisation
}

/** A key that calls models. */
export async function keyOf({ owner }: OwnOrganisation, name = 'A key'): Promise<string> {
  const { key } = await ask<{ key: string }>('POST', '/api/keys', { name }, await sessionOf(owner))
  return key
}

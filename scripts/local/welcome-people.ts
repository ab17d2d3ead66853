// The part of the welcome that is for people: who can sign in, and what they can do then.
import type { Demo } from './demo.ts'
import type { Credentials } from './people.ts'

export const peopleTable = (tenants: Demo['tenants']): string =>
  Object.entries(tenants)
    .map(([tier, { email, password }]) => `  ${tier.padEnd(13)}  ${email}  ${password}`)
    .join('\n')

export type Place = { url: string; origin: string; sessionFile: string }

/** One line to paste for each, in the order in which they work. */
export function manageLines(place: Place, { email, password }: Credentials): string {
  return `Sign in as the owner of the organisation on the tier pro, and see who you are. A request that changes something says where it
comes from, in the header origin, as browsers do by themselves.

${post(place, '/api/auth/login', { email, password })}
${get(place, '/api/auth/me')}

Make a key of the organisation (it is shown this once), and export all its data.

${post(place, '/api/keys', { name: 'My first key' })}
${get(place, '/api/settings/export?format=json')}`
}

export function identityProviderLines(place: Place): string {
  return `Begin to sign in by the emulated identity provider: the answer says where a page sends the browser. docs/local.md goes on.

${post(place, '/api/auth/oauth-signin', { provider: 'local' })}

`
}

const get = ({ url, sessionFile }: Place, path: string): string =>
  `curl -s -b ${quoted(sessionFile)} ${quoted(url + path)}`

const post = (place: Place, path: string, body: object): string => change(place, 'POST', path, body)

/** A request of whoever has signed in. */
export function change({ url, origin, sessionFile }: Place, method: string, path: string, body: object): string {
  const jar = quoted(sessionFile)
  const headers = `-H ${quoted(`origin: ${origin}`)} -H 'content-type: application/json'`
  const verb = method === 'POST' ? '' : `-X ${method} `
  return `curl -s ${verb}-b ${jar} -c ${jar} ${url}${path} ${headers} -d ${quoted(JSON.stringify(body))}`
}

/** For a shell, whatever is in it. */
export const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

// The part of the welcome that is for people: who can sign in, and what they can do then.
import type { Demo } from './demo.ts'
import type { Credentials } from './people.ts'

export const peopleTable = (tenants: Demo['tenants']): string =>
  Object.entries(tenants)
    .map(([tier, { email, password }]) => `  ${tier.padEnd(13)}  ${email}  ${password}`)
    .join('\n')

type Place = { url: string; origin: string; sessionFile: string }

/** One line to paste for each, in the order in which they work. */
export function manageLines({ url, origin, sessionFile }: Place, { email, password }: Credentials): string {
  const jar = quoted(sessionFile)
  const post = (path: string, body: object, cookies: string): string =>
    `curl -s ${cookies} ${url}${path} -H ${quoted(`origin: ${origin}`)} -H 'content-type: application/json' -d ${quoted(JSON.stringify(body))}`
  const get = (path: string): string => `curl -s -b ${jar} ${quoted(url + path)}`

  return `Sign in as the owner of the organisation on the tier pro, and see who you are. A request that changes something says where it
comes from, in the header origin, as browsers do by themselves.

${post('/api/auth/login', { email, password }, `-b ${jar} -c ${jar}`)}
${get('/api/auth/me')}

Make a key of the organisation (it is shown this once), and export all its data.

${post('/api/keys', { name: 'My first key' }, `-b ${jar}`)}
${get('/api/settings/export?format=json')}`
}

/** For a shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

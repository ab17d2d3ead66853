// Formats requests as curl commands, for the lines that npm start prints.

/** A signed-in person's commands. `sessionFile`: the file in which curl stores the session. */
export type SignedIn = { url: string; origin: string; sessionFile: string }

/** Quotes any text for a shell. */
export const quoteForShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

const json = (body: object): string => `-H 'content-type: application/json' -d ${quoteForShell(JSON.stringify(body))}`

/** Returns functions that make commands with an API key. */
export function curlWithKey(url: string, key: string) {
  const withKey = (path: string): string =>
    `${quoteForShell(url + path)} -H ${quoteForShell(`authorization: Bearer ${key}`)}`
  return {
    get: (path: string): string => `curl -s ${withKey(path)}`,
    post: (path: string, body: object, headers: Readonly<Record<string, string>> = {}): string => {
      const more = Object.entries(headers).map(([name, value]) => ` -H ${quoteForShell(`${name}: ${value}`)}`)
      return `curl -s -N ${withKey(path)}${more.join('')} ${json(body)}`
    },
  }
}

/** Returns functions that make commands with a session. Every request with a body sends the header Origin. */
export function curlWithSession({ url, origin, sessionFile }: SignedIn) {
  const jar = quoteForShell(sessionFile)
  // curl sends POST by itself if there is a body.
  const send = (method: string, path: string, body: object): string =>
    `curl -s ${method === 'POST' ? '' : `-X ${method} `}-b ${jar} -c ${jar} ${url}${path} -H ${quoteForShell(`origin: ${origin}`)} ${json(body)}`
  return {
    get: (path: string): string => `curl -s -b ${jar} ${quoteForShell(url + path)}`,
    post: (path: string, body: object): string => send('POST', path, body),
    send,
  }
}

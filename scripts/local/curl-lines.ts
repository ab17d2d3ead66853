// Formats requests as curl commands, for the lines that npm start prints.

/** A signed-in person's commands. `sessionFile`: the file in which curl stores the session. */
export type SignedIn = { url: string; origin: string; sessionFile: string }

/** Quotes any text for a shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

const json = (body: object): string => `-H 'content-type: application/json' -d ${quoted(JSON.stringify(body))}`

/** Returns functions that make commands with an API key. */
export function curlWithKey(url: string, key: string) {
  const withKey = (path: string): string => `${quoted(url + path)} -H ${quoted(`authorization: Bearer ${key}`)}`
  return {
    get: (path: string): string => `curl -s ${withKey(path)}`,
    post: (path: string, body: object, headers: Readonly<Record<string, string>> = {}): string => {
      const more = Object.entries(headers).map(([name, value]) => ` -H ${quoted(`${name}: ${value}`)}`)
      return `curl -s -N ${withKey(path)}${more.join('')} ${json(body)}`
    },
  }
}

/** Returns functions that make commands of a signed-in person. A changing request states its origin. */
export function curlWithSession({ url, origin, sessionFile }: SignedIn) {
  const jar = quoted(sessionFile)
  // curl sends POST by itself if there is a body.
  const send = (method: string, path: string, body: object): string =>
    `curl -s ${method === 'POST' ? '' : `-X ${method} `}-b ${jar} -c ${jar} ${url}${path} -H ${quoted(`origin: ${origin}`)} ${json(body)}`
  return {
    get: (path: string): string => `curl -s -b ${jar} ${quoted(url + path)}`,
    post: (path: string, body: object): string => send('POST', path, body),
    send,
  }
}

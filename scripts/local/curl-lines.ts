// Formats requests as curl lines that a person can paste into a shell.

/** `sessionFile`: the file in which the lines keep the session. */
export type SignedIn = { url: string; origin: string; sessionFile: string }

/** Quotes a text for a shell, whatever is in it. */
export const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

const json = (body: object): string => `-H 'content-type: application/json' -d ${quoted(JSON.stringify(body))}`

/** Lines that bring a key. */
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

/** Lines of a person who has signed in. A request that changes something says where it comes from. */
export function curlWithSession({ url, origin, sessionFile }: SignedIn) {
  const jar = quoted(sessionFile)
  // curl sends POST by itself where there is a body.
  const send = (method: string, path: string, body: object): string =>
    `curl -s ${method === 'POST' ? '' : `-X ${method} `}-b ${jar} -c ${jar} ${url}${path} -H ${quoted(`origin: ${origin}`)} ${json(body)}`
  return {
    get: (path: string): string => `curl -s -b ${jar} ${quoted(url + path)}`,
    post: (path: string, body: object): string => send('POST', path, body),
    send,
  }
}

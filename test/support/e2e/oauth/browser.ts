// A browser that signs in by an identity provider: it keeps cookies and follows nobody by itself.
import type { Deployment } from '../deployment.ts'

let browsers = 0

export class Browser {
  readonly #service: Deployment
  /** Each browser is in a network of its own: so many sign-ins from one would be too many. */
  readonly #network = `10.${Math.floor(browsers / 250)}.${browsers++ % 250}.1`
  readonly cookies = new Map<string, string>()

  constructor(service: Deployment) {
    this.#service = service
  }

  async fetch(path: string, init: { method?: string; headers?: Record<string, string>; body?: string } = {}) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { 'cf-connecting-ip': this.#network, ...init.headers, ...(cookie === '' ? {} : { cookie }) }
    const response = await this.#service.fetch(path, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    return response
  }

  /** Starts a sign-in. Returns the address at which the provider is to be asked. */
  async begin(provider: string, returnTo?: string): Promise<string> {
    const response = await this.fetch('/api/auth/oauth-signin', {
      method: 'POST',
      headers: { origin: this.#service.url, 'content-type': 'application/json' },
      body: JSON.stringify({ provider, ...(returnTo === undefined ? {} : { return_to: returnTo }) }),
    })
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
    return ((await response.json()) as { authorization_url: string }).authorization_url
  }

  /** Goes to the provider: where that sends the browser back to, as a path of the service. */
  async visit(authorizationUrl: string): Promise<string> {
    const response = await fetch(authorizationUrl, { redirect: 'manual' })
    const { origin, pathname, search } = new URL(response.headers.get('location') ?? '')
    if (origin !== this.#service.url) throw new Error(`sent to ${origin}`)
    return pathname + search
  }

  /** The whole way. */
  async signIn(provider: string, returnTo?: string): Promise<Response> {
    return this.fetch(await this.visit(await this.begin(provider, returnTo)))
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split('; ')
    const name = pair.slice(0, pair.indexOf('='))
    if (attributes.includes('Max-Age=0')) this.cookies.delete(name)
    else this.cookies.set(name, pair.slice(name.length + 1))
  }
}
